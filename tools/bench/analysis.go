// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpumemlint/gpumemlint"
)

// analysis compares, in one process and on packages that are already loaded
// and type-checked, one SSA build with what our analyzers take for the same
// packages. The analyzers' time has their own SSA build in it. CPU time is
// compared, since other programs may use the machine meanwhile.
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
	imports := directImports(pkgs)
	closure := nonStandard(pkgs)

	var build, buildAll, deps, all []time.Duration
	for range b.rounds {
		for _, m := range []struct {
			into *[]time.Duration
			run  func() error
		}{
			{&build, func() error { return buildSSA(pkgs) }},
			{&buildAll, func() error { return buildSSA(closure) }},
			{&deps, func() error { return analyze(imports) }},
			{&all, func() error { return analyze(pkgs) }},
		} {
			runtime.GC()
			before, err := cpuTime()
			if err != nil {
				return err
			}
			if err := m.run(); err != nil {
				return err
			}
			after, err := cpuTime()
			if err != nil {
				return err
			}
			*m.into = append(*m.into, after-before)
		}
	}
	s, sAll, d, a := middle(build), middle(buildAll), middle(deps), middle(all)
	own := max(a-d, 0)
	fmt.Fprintf(text, `## The analysis itself

hugot v0.6.1, %s, in one process, packages loaded and type-checked beforehand, CPU time. What the analyzers take includes the SSA that they build. Facts are
computed for the dependencies too, under go vet once and then kept in its cache. Paths are followed where GPU resources are, so the packages that use them most
cost several times their SSA, and most of the others next to nothing.

| packages | number | one SSA build | gpumemlint's analyzers | ratio |
|---|---|---|---|---|
| hugot's, and all that they import outside the standard library | %d | %s | %s | %s |
| hugot's alone | %d | %s | %s | %s |

`, "`-tags ORT`", len(closure), seconds(sAll), seconds(a), ratio(a, sAll), len(pkgs), seconds(s), seconds(own), ratio(own, s))
	return nil
}

// analyze runs our analyzers over the packages and all that they import.
func analyze(pkgs []*packages.Package) error {
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, &checker.Options{Sequential: true})
	if err != nil {
		return fmt.Errorf("analyse hugot: %v", err)
	}
	for act := range graph.All() {
		if act.Err != nil {
			return fmt.Errorf("analyse %s: %v", act.Package.PkgPath, act.Err)
		}
	}
	return nil
}

// buildSSA builds the bodies of these packages, and of no other.
func buildSSA(pkgs []*packages.Package) error {
	prog, _ := ssautil.Packages(pkgs, ssa.InstantiateGenerics|ssa.BuildSerially)
	prog.Build()
	return nil
}

// directImports returns what the packages import and are not themselves.
func directImports(pkgs []*packages.Package) []*packages.Package {
	seen := map[*packages.Package]bool{}
	for _, pkg := range pkgs {
		seen[pkg] = true
	}
	var list []*packages.Package
	for _, pkg := range pkgs {
		for _, imported := range pkg.Imports {
			if !seen[imported] {
				seen[imported] = true
				list = append(list, imported)
			}
		}
	}
	return list
}

// nonStandard returns the packages and all that they import, without those
// of the standard library.
func nonStandard(pkgs []*packages.Package) []*packages.Package {
	var list []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if pkg.Module != nil {
			list = append(list, pkg)
		}
	})
	return list
}

// cpuTime is what this process has used, all threads together.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("getrusage: %v", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
