// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpumemlint/gpumemlint"
)

// analysis compares, in one process and on packages that are already loaded
// and type-checked, one SSA build of hugot's packages with what our analyzers
// take for them. The analyzers' time has their own SSA build in it.
func (b *bench) analysis(text *strings.Builder) error {
	dir, err := b.module("github.com/knights-analytics/hugot", "v0.6.1")
	if err != nil {
		return err
	}
	pkgs, err := packages.Load(&packages.Config{
		Context:    b.ctx,
		Mode:       packages.LoadAllSyntax | packages.NeedModule,
		Dir:        dir,
		Env:        append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"),
		BuildFlags: []string{"-tags=ORT"},
	}, "./...")
	if err != nil {
		return fmt.Errorf("load hugot: %v", err)
	}
	if n := packages.PrintErrors(pkgs); n > 0 {
		return fmt.Errorf("load hugot: %d errors", n)
	}
	initial := map[*packages.Package]bool{}
	for _, pkg := range pkgs {
		initial[pkg] = true
	}

	var build, buildAll, own, all []time.Duration
	for range b.rounds {
		runtime.GC()
		start := time.Now()
		prog, _ := ssautil.Packages(pkgs, ssa.InstantiateGenerics|ssa.BuildSerially)
		prog.Build()
		build = append(build, time.Since(start))

		runtime.GC()
		start = time.Now()
		prog, _ = ssautil.AllPackages(pkgs, ssa.InstantiateGenerics|ssa.BuildSerially)
		prog.Build()
		buildAll = append(buildAll, time.Since(start))

		runtime.GC()
		graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, &checker.Options{Sequential: true})
		if err != nil {
			return fmt.Errorf("analyse hugot: %v", err)
		}
		var ownTime, allTime time.Duration
		for act := range graph.All() {
			if act.Err != nil {
				return fmt.Errorf("analyse %s: %v", act.Package.PkgPath, act.Err)
			}
			allTime += act.Duration
			if initial[act.Package] {
				ownTime += act.Duration
			}
		}
		own, all = append(own, ownTime), append(all, allTime)
	}
	s, sAll, o, a := middle(build), middle(buildAll), middle(own), middle(all)
	fmt.Fprintf(text, `## The analysis itself

hugot v0.6.1, %s, in one process, one thread, packages loaded and type-checked beforehand. The analyzers' time includes the SSA that they build.

| | one SSA build | gpumemlint's analyzers | ratio | without its own SSA build |
|---|---|---|---|---|
| hugot's packages | %s | %s | %s | %s |
| those and all dependencies | %s | %s | %s | |

`, "`-tags ORT`", seconds(s), seconds(o), ratio(o, s), ratio(max(o-s, 0), s), seconds(sAll), seconds(a), ratio(a, sAll))
	return nil
}
