// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A CPair is one half of a pair of C functions that no model knows: by its name
// and by the C types that the package passes around it acquires or releases.
type CPair struct {
	Name    string // the function, as C has it
	Class   string // "c:" and the C type
	Noun    string
	Release bool
	Param   int  // the parameter that holds the resource; -1: the result does
	Deref   bool // the parameter points at it
}

// CPairs returns the pairs in what cgo has made of a package's C, in the order
// of their names: the same that findings rest on. The types of pkg are those of
// cgo's own file of declarations.
func CPairs(pkg *types.Package) []CPair {
	e := &engine{pass: &analysis.Pass{Pkg: pkg}}
	class := func(key string) string { return "c:" + strings.TrimLeft(key, "*") }
	var list []CPair
	for _, n := range pkg.Scope().Names() {
		name, ok := strings.CutPrefix(n, "_Cfunc_")
		if !ok {
			continue // a type, or the form that gives errno too
		}
		fn, ok := pkg.Scope().Lookup(n).(*types.Func)
		if !ok {
			continue
		}
		if e.cEnds(name) {
			if p, key := releasedParam(fn.Signature()); key != "" {
				p.Name, p.Class = cDisplay(name), class(key)
				list = append(list, p)
			}
			continue
		}
		for _, a := range e.inferredC(name, fn.Signature()) {
			list = append(list, CPair{
				Name: cDisplay(name), Class: class(strings.TrimPrefix(a.class.Name, "c:")), Noun: a.class.Noun,
				Param: a.param, Deref: a.param >= 0,
			})
		}
	}
	return list
}

// releasedParam is the only handle that a C function is given, with its type;
// with several it is not clear which one ends.
func releasedParam(sig *types.Signature) (CPair, string) {
	found, key := CPair{Release: true}, ""
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		k, deref := cTypeKey(t), false
		if p, ok := t.(*types.Pointer); ok && k == "" {
			k, deref = cTypeKey(p.Elem()), true
		}
		if k == "" {
			continue
		}
		if key != "" && key != k {
			return CPair{}, ""
		}
		found.Param, found.Deref, key = i, deref, k
	}
	return found, key
}
