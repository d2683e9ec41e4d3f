// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gpumemlint/gpumemlint"
)

// minMutants is the share of the mutants that must be found.
const minMutants = 0.85

// releaseNames are the releases of the libraries that the programs use.
var releaseNames = map[string]bool{
	"Destroy": true, "Close": true, "Free": true, "EventSetFree": true, "GpmSampleFree": true, "MustDrop": true,
	"Drop": true, "ModelFree": true, "SamplerFree": true, "BatchFree": true,
}

// destructor matches the declarations whose job is to release.
var destructor = regexp.MustCompile(`\.(Close|Put|evict)$`)

// TestMutants takes one release at a time out of the correct programs. A mutant
// is found if there is any finding in it: the original has none.
//
// Known misses: a Mat or Net that says it is Empty counts as never acquired; what
// comes out of a channel has no owner here; an unknown callee may own.
func TestMutants(t *testing.T) {
	stubs, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(stubs, "src", "traps", "programs", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	gopath := t.TempDir()
	mutants := map[string]Mutant{} // by import path
	var paths []string
	for _, file := range files {
		ms, err := Mutants(file, func(name string) bool { return releaseNames[name] })
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			if filepath.Base(file) == "xla.go" || m.Decl == "Parameters" {
				continue // the garbage collector releases these in the end
			}
			if destructor.MatchString(m.Decl) {
				continue // a release method that forgets something is another rule's
			}
			p := path.Join("mutants", m.Name)
			p = filepath.ToSlash(filepath.Clean(p))
			p = sanitize(p)
			dir := filepath.Join(gopath, "src", filepath.FromSlash(p))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "program.go"), m.Src, 0o644); err != nil {
				t.Fatal(err)
			}
			mutants[p] = m
			paths = append(paths, p)
		}
	}
	pkgs, err := Load(gopath+string(filepath.ListSeparator)+stubs, paths...)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := Analyze(gpumemlint.Analyzers(), pkgs)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range findings {
		found[f.Package] = true
	}
	for _, p := range paths {
		if !found[p] {
			t.Logf("missed: %s: no release in %s", mutants[p].Name, mutants[p].Decl)
		}
	}
	t.Logf("found %d of %d mutants", len(found), len(paths))
	if share := float64(len(found)) / float64(len(paths)); share < minMutants {
		t.Errorf("found %.1f %% of the mutants, expected at least %.0f %%", 100*share, 100*minMutants)
	}
}

// sanitize makes an import path of a position.
func sanitize(p string) string {
	b := []byte(p)
	for i, c := range b {
		if c == ':' {
			b[i] = '_'
		}
	}
	return string(b)
}
