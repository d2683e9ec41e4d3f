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
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for i, line := range strings.Split(string(src), "\n") {
				if w := wantRule.FindStringSubmatch(line); w != nil {
					id := strings.TrimSuffix(filepath.Base(file), ".go")
					out = append(out, &demand{id: id, line: i + 1, rules: strings.Split(w[1], "|")})
				}
			}
		}
	}
	return out, nil
}

// meet marks the demands that a finding meets and reports whether there is one.
func meet(wanted []*demand, f Finding) bool {
	met := false
	for _, d := range wanted {
		if d.id+".go" == f.File && d.line == f.Line && slices.Contains(d.rules, f.Rule) {
			d.met, met = true, true
		}
	}
	return met
}

// TestBugs demands the rebuilt bugs: a bug is found if each of its lines is.
func TestBugs(t *testing.T) {
	pkgs, findings := loadCorpus(t, "bugs/pure", "bugs/native")
	wanted, err := demands(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		switch {
		case strings.Contains(f.Decl, "Fixed"):
			t.Errorf("mended code flagged: %s", f)
		case !strings.Contains(f.Decl, "Bug"):
			t.Errorf("code that both forms share flagged: %s", f)
		case !meet(wanted, f):
			t.Logf("also reported: %s", f)
		}
	}
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

// TestProgramsWithBugs demands the leaks of larger code, line by line, and
// nothing else.
func TestProgramsWithBugs(t *testing.T) {
	pkgs, findings := loadCorpus(t, "bugs/more")
	wanted, err := demands(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	extra := 0
	for _, f := range findings {
		if !meet(wanted, f) {
			extra++
			t.Logf("not wanted: %s", f)
		}
	}
	found := 0
	for _, d := range wanted {
		if d.met {
			found++
		} else {
			t.Logf("missed: %s at %s.go:%d", strings.Join(d.rules, " or "), d.id, d.line)
		}
	}
	t.Logf("found %d of %d lines, %d others", found, len(wanted), extra)
	if share := float64(found) / float64(len(wanted)); share < minBugs {
		t.Errorf("found %.1f %% of the lines, expected at least %.0f %%", 100*share, 100*minBugs)
	}
	if share := float64(extra) / float64(len(findings)+1); share > maxFlagged {
		t.Errorf("%d of %d findings are on other lines, expected at most %.1f %%", extra, len(findings), 100*maxFlagged)
	}
}

func TestTraps(t *testing.T) {
	_, findings := loadCorpus(t, "traps/...", "bugs/lib/...")
	for _, f := range findings {
		t.Errorf("correct code flagged: %s", f)
	}
}
