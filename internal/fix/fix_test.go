// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/txtar"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/fix"
	"github.com/gpumemlint/gpumemlint/internal/mend"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/passes/corpus"
)

var update = flag.Bool("update", false, "rewrite the fixed files in testdata")

// TestRegistered checks that fixes are tried with every pass.
func TestRegistered(t *testing.T) {
	known := map[string]bool{}
	for _, a := range fix.Registered() {
		known[a.Name] = true
	}
	for _, a := range gpumemlint.Analyzers()[1:] { // the first is the engine
		if !known[a.Name] {
			t.Errorf("%s is not registered with internal/fix: make it with verdict.NewAnalyzer", a.Name)
		}
	}
}

// TestFixes applies what is offered until there is nothing left, and compares.
// Each NAME.go in testdata/*.txtar is a package of its own; NAME.go.fixed is what
// becomes of it. Without one, nothing may be offered: the comment in the file
// says why.
func TestFixes(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	gopath := t.TempDir()
	var paths []string
	for _, file := range archives {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if !strings.HasSuffix(f.Name, ".go") && !strings.HasSuffix(f.Name, ".h") {
				continue
			}
			text := f.Data
			if strings.HasSuffix(f.Name, ".go") {
				if text, err = format.Source(f.Data); err != nil {
					t.Fatalf("%s: %s: %v", file, f.Name, err)
				}
			}
			path := caseDir(file, f.Name)
			write(t, filepath.Join(gopath, "src", filepath.FromSlash(path), filepath.Base(f.Name)), text)
			if strings.HasSuffix(f.Name, ".go") {
				paths = append(paths, path)
			}
		}
	}
	stubs, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	applyAll(t, gopath+string(filepath.ListSeparator)+stubs, paths)
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { compare(t, gopath, file) })
	}
}

// caseDir is the import path of a file of an archive. A file in a folder shares
// its package with the others there.
func caseDir(archive, name string) string {
	dir := strings.TrimSuffix(filepath.Base(archive), ".txtar")
	if d := filepath.Dir(name); d != "." {
		return dir + "/" + d
	}
	return dir + "/" + strings.TrimSuffix(name, ".go")
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// applyAll applies the fixes of the packages until none is offered. It fails if
// one does not compile or leads to a new finding.
func applyAll(t *testing.T, gopath string, paths []string) {
	t.Helper()
	report.Configure(report.Settings{Tier: report.Likely, Nolint: true, Fixes: true, Detail: true})
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	before := -1
	for round := 0; ; round++ {
		fixes, n := offered(t, gopath, paths)
		if before >= 0 && n > before {
			t.Errorf("round %d: %d findings, %d in the round before", round, n, before)
		}
		before = n
		if len(fixes) == 0 {
			return
		}
		if round == 6 {
			t.Fatalf("still %d fixes after %d rounds", len(fixes), round)
		}
		files, err := mend.New()
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		if _, err := files.Apply(fixes, func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write(); err != nil {
			t.Fatal(err)
		}
	}
}

// offered analyses packages and returns the fixes and the number of findings.
func offered(t *testing.T, gopath string, paths []string) ([]mend.Fix, int) {
	t.Helper()
	pkgs, err := corpus.Load(gopath, paths...)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var fixes []mend.Fix
	n := 0
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatalf("%s: %v", act.Package.PkgPath, act.Err)
		}
		for _, d := range act.Diagnostics {
			n++
			for _, r := range d.Related {
				detail, ok, err := report.ParseDetail(r.Message)
				if err != nil {
					t.Fatal(err)
				}
				if !ok || len(detail.Fixes) == 0 {
					continue
				}
				f := mend.Fix{Message: detail.Fixes[0].Message}
				for _, e := range detail.Fixes[0].Edits {
					f.Edits = append(f.Edits, mend.Edit{Path: e.File, Start: e.Start, End: e.End, New: e.New})
				}
				fixes = append(fixes, f)
			}
		}
	}
	return fixes, n
}

// compare compares what became of the files of an archive with what should.
func compare(t *testing.T, gopath, archive string) {
	ar, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for _, f := range ar.Files {
		want[f.Name] = f.Data
	}
	var out txtar.Archive
	out.Comment = ar.Comment
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			if !strings.HasSuffix(f.Name, ".fixed") {
				out.Files = append(out.Files, f)
			}
			continue
		}
		in, err := format.Source(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(gopath, "src", filepath.FromSlash(caseDir(archive, f.Name)), filepath.Base(f.Name)))
		if err != nil {
			t.Fatal(err)
		}
		out.Files = append(out.Files, txtar.File{Name: f.Name, Data: in})
		if !bytes.Equal(got, in) {
			out.Files = append(out.Files, txtar.File{Name: f.Name + ".fixed", Data: got})
		}
		if formatted, err := format.Source(got); err != nil || !bytes.Equal(formatted, got) {
			t.Errorf("%s: what became of it is not formatted: %v", f.Name, err)
		}
		if *update {
			continue
		}
		expect, changes := want[f.Name+".fixed"]
		if !changes {
			expect = in
		}
		if !bytes.Equal(got, expect) {
			t.Errorf("%s", diff.Diff(f.Name+".fixed", expect, "what became of it", got))
		}
	}
	if *update {
		if err := os.WriteFile(archive, txtar.Format(&out), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Println("wrote", archive)
	}
}
