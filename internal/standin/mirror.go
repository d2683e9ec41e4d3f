// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"context"
	"encoding/json"
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

// replacements writes the mirrors and returns the pairs that -replace of go
// mod edit and of go work edit takes.
func (p *Plan) replacements() ([]string, error) {
	var args []string
	for _, path := range slices.Sorted(maps.Keys(p.mirrors)) {
		dir, err := p.mirrors[path].write(p.dir)
		if err != nil {
			return nil, fmt.Errorf("cannot store what stands in for %s: %w", path, err)
		}
		args = append(args, "-replace="+path+"="+dir)
	}
	return args, nil
}

// modfile writes an alternate go.mod, with its go.sum, that replaces each
// mirrored module, and returns its name. In a workspace it is a go.work, which
// holds for all of its modules.
func (p *Plan) modfile(ctx context.Context) (name string, work bool, err error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOWORK").Output()
	if err != nil {
		return "", false, fmt.Errorf("go env: %w", err)
	}
	file, gowork, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	args, err := p.replacements()
	if err != nil {
		return "", false, err
	}
	command, sum := "mod", strings.TrimSuffix(file, ".mod")+".sum"
	if gowork != "" && gowork != "off" {
		command, file, sum, work = "work", gowork, gowork+".sum", true
		absolute, err := absoluteUses(ctx, gowork)
		if err != nil {
			return "", false, err
		}
		args = slices.Concat(absolute, args)
	}
	edited, err := exec.CommandContext(ctx, "go", slices.Concat([]string{command, "edit", "-print"}, args, []string{file})...).Output()
	if err != nil {
		return "", false, fmt.Errorf("go %s edit: %w", command, err)
	}
	sums, err := os.ReadFile(sum)
	if err != nil && !os.IsNotExist(err) {
		return "", false, fmt.Errorf("cannot read %s: %w", filepath.Base(sum), err)
	}
	sub := filepath.Join(p.dir, hash(slices.Concat(edited, []byte{0}, sums)))
	name = filepath.Join(sub, filepath.Base(file))
	if err := writeFile(filepath.Join(sub, filepath.Base(sum)), sums); err != nil {
		return "", false, fmt.Errorf("cannot store %s: %w", filepath.Base(sum), err)
	}
	if err := writeFile(name, edited); err != nil {
		return "", false, fmt.Errorf("cannot store %s: %w", filepath.Base(file), err)
	}
	return name, work, nil
}

// absoluteUses returns the edits that make a go.work mean the same in another
// folder.
func absoluteUses(ctx context.Context, gowork string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "work", "edit", "-json", gowork).Output()
	if err != nil {
		return nil, fmt.Errorf("go work edit: %w", err)
	}
	var file struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &file); err != nil {
		return nil, fmt.Errorf("go work edit printed what is not its JSON: %w", err)
	}
	root := filepath.Dir(gowork)
	var args []string
	for _, u := range file.Use {
		if !filepath.IsAbs(u.DiskPath) {
			args = append(args, "-dropuse="+u.DiskPath, "-use="+filepath.Join(root, filepath.FromSlash(u.DiskPath)))
		}
	}
	for _, r := range file.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue // another module, or a folder that is named in full
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		args = append(args, "-replace="+old+"="+filepath.Join(root, filepath.FromSlash(r.New.Path)))
	}
	return args, nil
}
