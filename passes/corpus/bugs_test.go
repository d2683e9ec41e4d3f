// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint"
	"golang.org/x/tools/go/packages"
)

// minBugs is the share of the rebuilt bugs that must be found.
const minBugs = 0.9

var (
	// wantRule is the comment that names the rules of which one must report its
	// line.
	wantRule = regexp.MustCompile(`// want (GM\d+(?:\|GM\d+)*)`)
	// fileID is the name of a file that rebuilds one shape.
	fileID = regexp.MustCompile(`^([a-z]\d+)\.go$`)
)

// A demand is one line that a rule must report.
type demand struct {
	id    string // of the bug, the file's name
	line  int
	rules []string
	met   bool
}

// loadCorpus loads packages of testdata with the models of the C functions in
// it, and analyses them.
func loadCorpus(t *testing.T, patterns ...string) ([]*packages.Package, []Finding) {
	t.Helper()
	gopath, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	setModels(t, filepath.Join(gopath, "src", "bugs", "native", "models.gpumem"))
	pkgs, err := Load(gopath, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := Analyze(gpumemlint.Analyzers(), pkgs)
	if err != nil {
		t.Fatal(err)
	}
	return pkgs, findings
}

// setModels sets the -models flag of whichever analyzer has it until the test
// ends.
func setModels(t *testing.T, path string) {
	t.Helper()
	for _, a := range gpumemlint.Analyzers() {
		f := a.Flags.Lookup("models")
		if f == nil {
			continue // not the engine
		}
		old := f.Value.String()
		if err := f.Value.Set(path); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(old) })
		return
	}
	t.Fatal("no analyzer has a -models flag")
}

// demands reads the want comments of the packages' files.
func demands(pkgs []*packages.Package) ([]*demand, error) {
	var out []*demand
	for _, pkg := range pkgs {
		for _, file := range pkg.GoFiles {
			m := fileID.FindStringSubmatch(filepath.Base(file))
			if m == nil {
				continue // shared by all
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for i, line := range strings.Split(string(src), "\n") {
				if w := wantRule.FindStringSubmatch(line); w != nil {
					out = append(out, &demand{id: m[1], line: i + 1, rules: strings.Split(w[1], "|")})
				}
			}
		}
	}
	return out, nil
}

func TestBugs(t *testing.T) {
	pkgs, findings := loadCorpus(t, "bugs/pure", "bugs/native")
	wanted, err := demands(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		id := strings.TrimSuffix(f.File, ".go")
		known := false
		for _, d := range wanted {
			if d.id == id && d.line == f.Line {
				hit := slices.Contains(d.rules, f.Rule)
				known = known || hit
				d.met = d.met || hit
			}
		}
		switch {
		case strings.Contains(f.Decl, "Fixed"):
			t.Errorf("mended code flagged: %s", f)
		case !strings.Contains(f.Decl, "Bug"):
			t.Errorf("code that both forms share flagged: %s", f)
		case !known:
			t.Logf("also reported: %s", f)
		}
	}

	// A bug is found if each of its demands is met.
	ids := map[string]bool{}
	for _, d := range wanted {
		if _, ok := ids[d.id]; !ok {
			ids[d.id] = true
		}
		if !d.met {
			ids[d.id] = false
			t.Logf("missed: %s at %s.go:%d", strings.Join(d.rules, " or "), d.id, d.line)
		}
	}
	found := 0
	for _, ok := range ids {
		if ok {
			found++
		}
	}
	t.Logf("found %d of %d bugs", found, len(ids))
	if len(ids) < 80 {
		t.Errorf("only %d bugs are rebuilt, expected at least 80", len(ids))
	}
	if share := float64(found) / float64(len(ids)); share < minBugs {
		t.Errorf("found %.1f %% of the bugs, expected at least %.0f %%", 100*share, 100*minBugs)
	}
}

func TestTraps(t *testing.T) {
	_, findings := loadCorpus(t, "traps/...", "bugs/lib/...")
	for _, f := range findings {
		t.Errorf("correct code flagged: %s", f)
	}
}
