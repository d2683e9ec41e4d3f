// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// goEnv is what the go command says of itself in the plan's directory.
type goEnv struct {
	GOMOD, GOWORK, GOMODCACHE, GOFLAGS, GOARCH string

	modfile string            // the alternate go.mod that the user has chosen, or empty
	overlay map[string]string // the user's own overlay
}

// ledgerDir is where the ledger's copy lies in the eyes of the go command: a
// folder of the user's module that need not exist, and that ./... never matches.
const ledgerDir = "testdata/gpumemlint_track"

func (b *builder) readEnv(ctx context.Context) error {
	if b.plan.Dir == "" {
		b.plan.Dir = "."
	}
	dir, err := filepath.Abs(b.plan.Dir)
	if err != nil {
		return fmt.Errorf("find the directory: %w", err)
	}
	b.plan.Dir = dir
	out, err := b.command(ctx, "env", "-json", "GOMOD", "GOWORK", "GOMODCACHE", "GOFLAGS", "GOARCH").Output()
	if err != nil {
		return fmt.Errorf("go env in %s: %w", dir, err)
	}
	if err := json.Unmarshal(out, &b.go_); err != nil {
		return fmt.Errorf("go env printed what is not its JSON: %w", err)
	}
	if b.go_.GOMOD == "" || b.go_.GOMOD == os.DevNull {
		if b.go_.GOWORK == "" || b.go_.GOWORK == "off" {
			return fmt.Errorf("not inside a Go module; run it in a directory with a go.mod, or make one with go mod init")
		}
	}
	flags := append(strings.Fields(b.go_.GOFLAGS), b.plan.BuildFlags...)
	for i, flag := range flags {
		name, value, ok := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		name = strings.TrimPrefix(name, "-")
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		switch name {
		case "modfile":
			b.go_.modfile = b.abs(value)
		case "overlay":
			if err := b.readOverlay(b.abs(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(b.plan.Dir, name)
}

func (b *builder) readOverlay(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the overlay: %w", err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("read the overlay %s: %w", name, err)
	}
	b.go_.overlay = map[string]string{}
	for from, to := range o.Replace {
		if to != "" {
			to = b.abs(to)
		}
		b.go_.overlay[b.abs(from)] = to
	}
	return nil
}

// ownFlags are the plan's build flags without those that the workspace gives
// itself, and without coverage, whose tool reads past the overlay.
func (b *builder) ownFlags() []string { return dropFlags(b.listFlags(), "modfile", "overlay") }

// listFlags are the plan's build flags for go list.
func (b *builder) listFlags() []string {
	return dropFlags(b.plan.BuildFlags, "cover", "covermode", "coverpkg", "coverprofile")
}

// dropFlags removes flags, with their values: -name=value, or -name value.
func dropFlags(flags []string, names ...string) []string {
	var list []string
	for i := 0; i < len(flags); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		if !slices.Contains(names, name) {
			list = append(list, flags[i])
		} else if !joined && name != "cover" { // a bool has no value
			i++
		}
	}
	return list
}

// mainModule is the user's module that the ledger is put into.
func (b *builder) mainModule() (*module, error) {
	for _, p := range b.pkgs {
		if p.user() && p.Module.Dir != "" && !p.DepOnly {
			return p.Module, nil
		}
	}
	for _, p := range b.pkgs {
		if p.user() && p.Module.Dir != "" {
			return p.Module, nil
		}
	}
	return nil, fmt.Errorf("the patterns %s match no package of a module that is worked on; name one that exists, as in ./...", strings.Join(b.plan.Patterns, " "))
}

// write puts everything into the folder and makes the flags that lead there.
func (b *builder) write(ctx context.Context) error {
	home, err := b.mainModule()
	if err != nil {
		return err
	}
	maps.Copy(b.work.overlay, b.go_.overlay)
	importPath := home.Path + "/" + ledgerDir
	changed := map[string][]byte{} // files of copied modules
	for i, name := range slices.Sorted(maps.Keys(b.files)) {
		f := b.files[name]
		if len(f.edits) == 0 {
			continue
		}
		if b.cached(name) {
			changed[name] = f.rewritten(importPath)
			continue
		}
		to := filepath.Join(b.work.dir, "src", fmt.Sprintf("%04d_%s", i, filepath.Base(name)))
		if err := writeFile(to, f.rewritten(importPath)); err != nil {
			return err
		}
		b.work.overlay[name] = to
	}
	if err := b.writeLedger(filepath.Join(home.Dir, filepath.FromSlash(ledgerDir))); err != nil {
		return err
	}
	if err := b.copyModules(ctx, changed); err != nil {
		return err
	}
	b.work.originals = map[string]string{}
	for from, to := range b.work.overlay {
		b.work.originals[to] = from
	}
	data, err := json.Marshal(map[string]any{"Replace": b.work.overlay})
	if err != nil {
		return fmt.Errorf("write the overlay: %w", err)
	}
	name := filepath.Join(b.work.dir, "overlay.json")
	if err := writeFile(name, data); err != nil {
		return err
	}
	b.work.args = append(b.work.args, "-overlay="+name, "-vet=off", "-cover=false")
	b.work.args = append(b.work.args, b.ownFlags()...)
	return nil
}

// writeLedger adds the ledger's sources, and its table, as a package in dir.
func (b *builder) writeLedger(dir string) error {
	sources, err := ledger.Source()
	if err != nil {
		return err
	}
	table, err := json.Marshal(b.table)
	if err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	sources["zz_table.go"] = fmt.Sprintf("package track\n\nvar _ = Load(%q)\n", table)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		to := filepath.Join(b.work.dir, "track", name)
		if err := writeFile(to, []byte(sources[name])); err != nil {
			return err
		}
		b.work.overlay[filepath.Join(dir, name)] = to
	}
	return nil
}

// cached reports whether a file lies in the module cache, where the go command
// allows no overlay.
func (b *builder) cached(name string) bool {
	return b.go_.GOMODCACHE != "" && strings.HasPrefix(name, b.go_.GOMODCACHE+string(filepath.Separator))
}

// copyModules copies each module of the module cache that has a changed file,
// and replaces it by its copy in an alternate go.mod or go.work.
func (b *builder) copyModules(ctx context.Context, changed map[string][]byte) error {
	if len(changed) == 0 {
		return nil // vendored, replaced by a folder, or nothing to change
	}
	replace := map[string]string{} // module path → folder
	for _, p := range b.pkgs {
		m := p.Module
		if m == nil || m.Dir == "" || replace[m.Path] != "" || !b.cached(m.Dir) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(changed)), func(name string) bool {
			return strings.HasPrefix(name, m.Dir+string(filepath.Separator))
		}) {
			continue
		}
		rel, err := filepath.Rel(b.go_.GOMODCACHE, m.Dir)
		if err != nil {
			return fmt.Errorf("copy the module %s: %w", m.Path, err)
		}
		to := filepath.Join(b.work.dir, "mod", rel)
		if err := copyModule(ctx, m, to, changed); err != nil {
			return fmt.Errorf("copy the module %s: %w", m.Path, err)
		}
		replace[m.Path] = to
		b.work.copies = append(b.work.copies, copied{from: m.Dir, to: to})
	}
	if b.go_.GOWORK != "" && b.go_.GOWORK != "off" {
		return b.writeWork(replace)
	}
	return b.writeMod(replace)
}

// writeMod makes the alternate go.mod, with its go.sum.
func (b *builder) writeMod(replace map[string]string) error {
	name := b.go_.GOMOD
	if b.go_.modfile != "" {
		name = b.go_.modfile
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read go.mod: %w", err)
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return fmt.Errorf("read go.mod: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(replace)) {
		for _, old := range slices.Clone(mod.Replace) {
			if old.Old.Path == path {
				if err := mod.DropReplace(old.Old.Path, old.Old.Version); err != nil {
					return fmt.Errorf("change a copy of go.mod: %w", err)
				}
			}
		}
		if err := mod.AddReplace(path, "", replace[path], ""); err != nil {
			return fmt.Errorf("change a copy of go.mod: %w", err)
		}
	}
	mod.Cleanup()
	if data, err = mod.Format(); err != nil {
		return fmt.Errorf("change a copy of go.mod: %w", err)
	}
	to := filepath.Join(b.work.dir, "go.mod")
	if err := writeFile(to, data); err != nil {
		return err
	}
	if err := copySum(strings.TrimSuffix(name, ".mod")+".sum", filepath.Join(b.work.dir, "go.sum")); err != nil {
		return err
	}
	b.work.args = append(b.work.args, "-modfile="+to)
	return nil
}

// writeWork makes the alternate go.work: its folders are named in full, since
// it lies somewhere else.
func (b *builder) writeWork(replace map[string]string) error {
	data, err := os.ReadFile(b.go_.GOWORK)
	if err != nil {
		return fmt.Errorf("read go.work: %w", err)
	}
	work, err := modfile.ParseWork(b.go_.GOWORK, data, nil)
	if err != nil {
		return fmt.Errorf("read go.work: %w", err)
	}
	root := filepath.Dir(b.go_.GOWORK)
	full := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(root, filepath.FromSlash(path))
	}
	var dirs []string
	for _, use := range slices.Clone(work.Use) {
		dirs = append(dirs, full(use.Path))
		if err := work.DropUse(use.Path); err != nil {
			return fmt.Errorf("change a copy of go.work: %w", err)
		}
	}
	for _, dir := range dirs {
		if err := work.AddUse(dir, ""); err != nil {
			return fmt.Errorf("change a copy of go.work: %w", err)
		}
	}
	for _, old := range slices.Clone(work.Replace) {
		if err := work.DropReplace(old.Old.Path, old.Old.Version); err != nil {
			return fmt.Errorf("change a copy of go.work: %w", err)
		}
		if replace[old.Old.Path] != "" {
			continue // replaced by our copy of its replacement
		}
		to := old.New.Path
		if old.New.Version == "" {
			to = full(to)
		}
		if err := work.AddReplace(old.Old.Path, old.Old.Version, to, old.New.Version); err != nil {
			return fmt.Errorf("change a copy of go.work: %w", err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(replace)) {
		if err := work.AddReplace(path, "", replace[path], ""); err != nil {
			return fmt.Errorf("change a copy of go.work: %w", err)
		}
	}
	work.Cleanup()
	to := filepath.Join(b.work.dir, "go.work")
	if err := writeFile(to, modfile.Format(work.Syntax)); err != nil {
		return err
	}
	if err := copySum(b.go_.GOWORK+".sum", to+".sum"); err != nil {
		return err
	}
	b.work.gowork = to
	return nil
}

// copySum copies a file of checksums, if there is one.
func copySum(from, to string) error {
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil // a module without dependencies
	}
	if err != nil {
		return fmt.Errorf("read the checksums: %w", err)
	}
	return writeFile(to, data)
}
