// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// TestExplain prints what the engine makes of a package: the end of every path
// of every acquisition, and the summaries. It is a tool for whoever works on
// the engine, and does nothing unless EXPLAIN names a directory (and, with
// EXPLAIN_FUNC, a function).
//
//	EXPLAIN=./examples/leak go test ./internal/ownership -run Explain -v
func TestExplain(t *testing.T) {
	dir := os.Getenv("EXPLAIN")
	if dir == "" {
		t.Skip("EXPLAIN names no directory")
	}
	probe := &analysis.Analyzer{Name: "probe", Doc: "explain", FactTypes: Analyzer.FactTypes, Run: func(pass *analysis.Pass) (any, error) {
		debugHook = func(e *engine) { explain(t, e) }
		defer func() { debugHook = nil }()
		_, err := runPass(pass)
		return nil, err
	}}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir, Tests: os.Getenv("EXPLAIN_TESTS") != ""}, ".")
	if err != nil {
		t.Fatal(err)
	}
	packages.PrintErrors(pkgs)
	graph, err := checker.Analyze([]*analysis.Analyzer{probe}, pkgs, &checker.Options{Sequential: true})
	if err != nil {
		t.Fatal(err)
	}
	for act := range graph.All() {
		if act.Err != nil {
			t.Error(act.Err)
		}
	}
}

func explain(t *testing.T, e *engine) {
	want := os.Getenv("EXPLAIN_FUNC")
	kinds := []string{"leak", "lost in iteration", "loop defer", "settled", "may own", "returned", "stored"}
	for _, fn := range e.funcs {
		if fn.Parent() != nil || want != "" && !strings.Contains(fn.Name(), want) {
			continue
		}
		if os.Getenv("EXPLAIN_SSA") != "" {
			fn.WriteTo(os.Stdout)
			for _, anon := range fn.AnonFuncs {
				anon.WriteTo(os.Stdout)
			}
		}
		a := e.analyze(fn)
		for _, v := range e.misuses(a) {
			fmt.Printf("  behind a release: kind %d %s at %s: %+v\n", v.Kind, v.Tier, e.pass.Fset.Position(v.Pos), *v.After)
		}
		for _, g := range e.givens(fn) {
			fmt.Printf("  given %s: %s at %s\n", g.name, g.at, e.pass.Fset.Position(g.pos))
		}
		fmt.Printf("%s: %v fact: %s\n", funcName(fn), e.degraded[fn], e.funcFact(fn))
		for _, sr := range a.sites {
			fmt.Printf("  site %s at %s class %+v\n", sr.site.name, e.pass.Fset.Position(e.callPos(sr.site.call)), sr.site.acq.class)
			for _, o := range sr.outs {
				fmt.Printf("    %s at %s ok=%v err=%v result=%d path=%q may=%d weak=%v cause=%v over=%v\n", kinds[o.kind], e.pass.Fset.Position(o.pos), o.ok, o.err, o.result, o.path, len(o.s.may), o.s.weak, o.s.cause, o.s.over.IsValid())
				if os.Getenv("EXPLAIN_STATE") != "" {
					var lines []string
					for k, v := range o.s.env.all() {
						lines = append(lines, fmt.Sprintf("      env %s = %#v", k.Name(), v))
					}
					for k, v := range o.s.mem.all() {
						lines = append(lines, fmt.Sprintf("      mem %#v = %#v", k, v))
					}
					sort.Strings(lines)
					fmt.Println(strings.Join(lines, "\n"))
				}
			}
		}
	}
}
