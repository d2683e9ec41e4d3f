// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A mirror is a module of the module cache with some packages replaced by
// their shadows. The go command lets nobody overlay the cache, so the mirror
// is a folder of links to the module's files, and an alternate go.mod names it
// in a replace directive.
type mirror struct {
	module  *Module
	shadows map[string]*shadow // by folder, as it is in the cache
}

func (p *Plan) mirror(m *Module) *mirror {
	if p.mirrors[m.Path] == nil {
		p.mirrors[m.Path] = &mirror{module: m, shadows: map[string]*shadow{}}
	}
	return p.mirrors[m.Path]
}

func (m *mirror) add(dir string, s *shadow) { m.shadows[dir] = s }

// write makes the mirror below dir and returns its folder.
func (m *mirror) write(dir string) (string, error) {
	var key bytes.Buffer
	fmt.Fprintf(&key, "%s\x00%s\x00", m.module.Path, m.module.Dir)
	for _, sub := range slices.Sorted(maps.Keys(m.shadows)) {
		for _, name := range slices.Sorted(maps.Keys(m.shadows[sub].files)) {
			fmt.Fprintf(&key, "%s\x00%s\x00", name, m.shadows[sub].files[name])
		}
	}
	root := filepath.Join(dir, hash(key.Bytes()))
	return root, m.link(m.module.Dir, root)
}

// link fills the folder to with what is in from: a package with a shadow is
// written, a folder above one is entered, all else is linked to.
func (m *mirror) link(from, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	s := m.shadows[from]
	if s != nil {
		for path, data := range s.files {
			if err := writeFile(filepath.Join(to, filepath.Base(path)), data); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.IsDir() && m.hasShadowIn(path):
			if err := m.link(path, target); err != nil {
				return err
			}
		case s != nil && !e.IsDir() && isSource(e.Name()):
			// written above, or left out
		default:
			if err := os.Symlink(path, target); err != nil && !os.IsExist(err) {
				return err
			}
		}
	}
	return nil
}

func (m *mirror) hasShadowIn(dir string) bool {
	for sub := range m.shadows {
		if sub == dir || strings.HasPrefix(sub, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// isSource reports whether the go command would compile a file of that name.
// Go files that build constraints exclude go as well: nothing imports them.
func isSource(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso":
		return true
	}
	return false
}

// modfile writes an alternate go.mod, with its go.sum, that replaces each
// mirrored module, and returns its name.
func (p *Plan) modfile(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOWORK").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	gomod, gowork, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if gowork != "" && gowork != "off" {
		return "", fmt.Errorf("libraries that cannot be built here are not stood in for in a workspace; set GOWORK=off")
	}
	sum, err := os.ReadFile(strings.TrimSuffix(gomod, ".mod") + ".sum")
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("cannot read go.sum: %w", err)
	}
	args := []string{"mod", "edit", "-print"}
	for _, path := range slices.Sorted(maps.Keys(p.mirrors)) {
		dir, err := p.mirrors[path].write(p.dir)
		if err != nil {
			return "", fmt.Errorf("cannot store what stands in for %s: %w", path, err)
		}
		args = append(args, "-replace="+path+"="+dir)
	}
	edited, err := exec.CommandContext(ctx, "go", append(args, gomod)...).Output()
	if err != nil {
		return "", fmt.Errorf("go mod edit: %w", err)
	}
	sub := filepath.Join(p.dir, hash(slices.Concat(edited, []byte{0}, sum)))
	if err := writeFile(filepath.Join(sub, "go.sum"), sum); err != nil {
		return "", fmt.Errorf("cannot store go.sum: %w", err)
	}
	file := filepath.Join(sub, "go.mod")
	if err := writeFile(file, edited); err != nil {
		return "", fmt.Errorf("cannot store go.mod: %w", err)
	}
	return file, nil
}
