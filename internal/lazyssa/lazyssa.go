// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package lazyssa builds SSA form only when it is asked to.
//
// The buildssa pass builds every package of the import graph as soon as an
// analyzer requires it, the standard library included. gpumemlint has to look
// at a package's imports first, and most packages touch no GPU library, so it
// builds the one package at hand itself, on demand. Bodies of imported
// packages are never there: what they do comes from facts.
package lazyssa

import (
	"go/ast"
	"go/types"
	"sort"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Package is the SSA form of one source package.
type Package struct {
	Pkg *ssa.Package
	// Funcs are the declared functions and methods in source order, then the
	// function literals inside each, then package initialisers' literals.
	Funcs []*ssa.Function
}

// Build returns the SSA form of the package under analysis, with debug
// references, so that values can be traced to the user's variables.
// It must not be called for a package with type errors.
func Build(pass *analysis.Pass) *Package {
	prog := ssa.NewProgram(pass.Fset, ssa.GlobalDebug)

	// Imported packages are declared, not built, and only those that the source
	// can name: a method of a type from further away is made when it is called
	// (its Pkg is nil then). Declaring the whole graph costs more than building
	// the package.
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}

	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	return &Package{Pkg: pkg, Funcs: sourceFuncs(pass, pkg)}
}

func sourceFuncs(pass *analysis.Pass, pkg *ssa.Package) []*ssa.Function {
	var funcs []*ssa.Function
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		if f == nil || len(f.Blocks) == 0 {
			return // declared without a body (assembly, linkname)
		}
		funcs = append(funcs, f)
		for _, anon := range f.AnonFuncs {
			add(anon)
		}
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			fd, ok := decl.(*ast.FuncDecl)
			if !ok || fd.Name.Name == "_" {
				continue
			}
			obj, ok := pass.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			add(pkg.Prog.FuncValue(obj))
		}
	}
	if init := pkg.Func("init"); init != nil {
		// Literals in package variable initialisers hang off the synthetic
		// initialiser.
		anons := append([]*ssa.Function(nil), init.AnonFuncs...)
		sort.SliceStable(anons, func(i, j int) bool { return anons[i].Pos() < anons[j].Pos() })
		for _, anon := range anons {
			add(anon)
		}
	}
	return funcs
}
