// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/mend"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
	"golang.org/x/tools/go/analysis/checker"
)

// minFixed is the share of the definite findings that a fix is offered for.
const minFixed = 0.8

// mendable is a finding with what is offered for it.
type mendable struct {
	where, message, tier string
	fix                  *mend.Fix
}

// TestFixes demands fixes for the rebuilt bugs, applies all of them, and again
// until none is offered. What comes of it must compile, be formatted and have no
// finding that was not there before; the last round, in which there is nothing
// left to do, is the proof that fixing twice changes nothing.
func TestFixes(t *testing.T) {
	stubs, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	gopath := t.TempDir()
	if err := os.CopyFS(filepath.Join(gopath, "src", "bugs"), os.DirFS(filepath.Join(stubs, "src", "bugs"))); err != nil {
		t.Fatal(err)
	}
	setModels(t, filepath.Join(stubs, "src", "bugs", "native", "models.gpumem"))
	report.Configure(report.Settings{Tier: report.Likely, Nolint: true, Fixes: true, Detail: true})
	t.Cleanup(func() { report.Configure(report.Defaults()) })

	all := gopath + string(filepath.ListSeparator) + stubs
	first := map[string]bool{}
	changed := map[string]bool{}
	for round := 0; ; round++ {
		list := mendables(t, all, "bugs/pure", "bugs/native", "bugs/more")
		var fixes []mend.Fix
		for _, m := range list {
			if round == 0 {
				first[m.message] = true
			} else if !first[m.message] {
				t.Errorf("round %d: new finding %s: %s", round, m.where, m.message)
			}
			if m.fix != nil {
				fixes = append(fixes, *m.fix)
			}
		}
		if round == 0 {
			share(t, list)
		}
		if len(fixes) == 0 {
			break
		}
		if round == 5 {
			t.Fatalf("fixes are still offered after %d rounds, first %s", round, fixes[0].Message)
		}
		for _, path := range apply(t, fixes) {
			changed[path] = true
		}
	}
	for path := range changed {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if tidy, err := format.Source(text); err != nil || !bytes.Equal(tidy, text) {
			t.Errorf("%s is not formatted any more: %v", filepath.Base(path), err)
		}
	}
	t.Logf("%d files were changed", len(changed))
}

// share checks for how many of the definite findings there is a fix.
func share(t *testing.T, list []mendable) {
	definite, fixed := 0, 0
	for _, m := range list {
		if m.tier != report.Definite.String() {
			continue
		}
		definite++
		if m.fix != nil {
			fixed++
		} else {
			t.Logf("no fix: %s: %s", m.where, m.message)
		}
	}
	t.Logf("fixes are offered for %d of %d definite findings", fixed, definite)
	if got := float64(fixed) / float64(definite); got < minFixed {
		t.Errorf("fixes are offered for %.0f %% of the definite findings, expected at least %.0f %%", 100*got, 100*minFixed)
	}
}

func mendables(t *testing.T, gopath string, patterns ...string) []mendable {
	t.Helper()
	pkgs, err := Load(gopath, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []mendable
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatalf("%s: %v", act.Package.PkgPath, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			for _, r := range d.Related {
				detail, ok, err := report.ParseDetail(r.Message)
				if err != nil {
					t.Fatal(err)
				}
				if rule, known := rules.RuleByID(d.Category); !ok || !known || !rule.Default {
					continue // a note, or advice that nobody has asked for
				}
				m := mendable{where: filepath.Base(pos.Filename) + " in " + detail.Function, message: detail.Function + ": " + lineNumber.ReplaceAllString(d.Message, "line N"), tier: detail.Tier}
				if len(detail.Fixes) > 0 {
					m.fix = &mend.Fix{Message: detail.Fixes[0].Message}
					for _, e := range detail.Fixes[0].Edits {
						m.fix.Edits = append(m.fix.Edits, mend.Edit{Path: e.File, Start: e.Start, End: e.End, New: e.New})
					}
				}
				list = append(list, m)
			}
		}
	}
	return list
}

// lineNumber is what fixes change in messages.
var lineNumber = regexp.MustCompile(`\bline [0-9]+`)

func apply(t *testing.T, fixes []mend.Fix) []string {
	t.Helper()
	files, err := mend.New()
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	if _, err := files.Apply(fixes, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	paths, err := files.Write()
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
