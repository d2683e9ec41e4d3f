// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// checkerFindings runs the analyzers in this process, over a program that is
// loaded from source as a whole: facts never leave the memory.
func checkerFindings(t *testing.T, c *tree) []finding {
	t.Helper()
	setFlags(t, c.modelText(t))
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: c.dir, Env: c.env(), Tests: true}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			found = append(found, finding{c.rel(t, pos.Filename), pos.Line, pos.Column, d.Message})
		}
	}
	return sorted(found)
}

// setFlags sets the flags of the analyzers until the test ends.
func setFlags(t *testing.T, models string) {
	t.Helper()
	report.Configure(report.Settings{Tier: report.Possible, Nolint: true})
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	for _, a := range gpumemlint.Analyzers() {
		if a.Flags.Lookup("models") == nil {
			continue // not the engine
		}
		if err := a.Flags.Set("models", models); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Flags.Set("models", "") })
		return
	}
	t.Fatal("no analyzer has a flag models")
}
