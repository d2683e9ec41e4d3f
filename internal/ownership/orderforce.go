// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// ambientEvent is what a call does where the parent is what is in force.
func (r *orderRun) ambientEvent(c *ssa.CallCommon) event {
	var ev event
	m := r.h.callModel(c)
	if m == nil {
		callee := r.h.localCallee(c)
		if callee == nil || callee.Parent() != nil {
			ev.childUsed, ev.what = r.usesHandle(c)
			return ev
		}
		return r.throughLocal(c, callee)
	}
	for _, eff := range m.Effects {
		if eff.Op == rules.OpAcquire && eff.Class != nil {
			if eff.Class.Name == r.k.ambient {
				ev.renewed = true
			}
			if r.h.before(eff.Class.Name, r.k.ambient) {
				ev.renewed = true // something new: the parent is there again, by other means
			}
		}
	}
	for _, e := range r.h.endsOf(c) {
		switch {
		case e.class.Name == r.k.ambient:
			ev.ends, ev.class = true, e.class
		case r.h.before(e.class.Name, r.k.ambient):
			ev.childEnds, ev.what = true, e.class
		}
	}
	if ev.ends || ev.childEnds || ev.renewed || !uses(m) && len(m.Effects) > 0 {
		return ev
	}
	for _, v := range operands(c) {
		if class := r.h.classOfType(v.Type()); class != nil && r.h.before(class.Name, r.k.ambient) {
			ev.childUsed, ev.what = true, classOf(class, nil)
		}
	}
	return ev
}

// usesHandle reports a method call on a handle of the library, one that has no
// class because nobody releases it: nvml.Device. The library itself, as an
// interface, is no handle: it can be opened again.
func (r *orderRun) usesHandle(c *ssa.CallCommon) (bool, Class) {
	if !c.IsInvoke() {
		return false, Class{}
	}
	n := namedOf(c.Value.Type())
	if n == nil || r.h.libraryOf(r.k.ambient) != n.Obj().Pkg().Path() {
		return false, Class{}
	}
	ms := types.NewMethodSet(n)
	for i := range ms.Len() {
		f, ok := ms.At(i).Obj().(*types.Func)
		if ok && does(r.h.model(f), rules.OpRelease) {
			return false, Class{} // the library, or a handle with a class
		}
	}
	return true, Class{Noun: typeBase(c.Value.Type())}
}

// libraryOf is the import path of the package that releases a class of the
// process, if the package at hand imports it.
func (h *habits) libraryOf(class string) string {
	lib, _, _ := strings.Cut(class, ".")
	for _, imp := range h.pass.Pkg.Imports() {
		if h.models.Package(imp.Path()) && imp.Name() == lib {
			return imp.Path()
		}
	}
	return ""
}

// throughLocal is what a function of the package does: it ends the parent, or
// releases children that it did not make itself.
func (r *orderRun) throughLocal(c *ssa.CallCommon, callee *ssa.Function) event {
	var ev event
	made, ended := r.h.lifeOf(callee, 0)
	if made[r.k.ambient] {
		if !ended[r.k.ambient] {
			ev.renewed = true
		}
		return ev // opens and closes by itself
	}
	if ended[r.k.ambient] {
		ev.ends, ev.class = true, r.h.classNamed(r.k.ambient)
		return ev // what else it does, it does in the right order, or is reported itself
	}
	for _, name := range sortedKeys(ended) {
		if r.h.before(name, r.k.ambient) && !made[name] {
			ev.childEnds, ev.what = true, r.h.classNamed(name)
		}
	}
	for _, name := range sortedKeys(made) {
		if r.h.before(name, r.k.ambient) {
			ev.renewed = true
		}
	}
	return ev
}

func (h *habits) classNamed(name string) Class {
	if c := h.models.ClassByName(name); c != nil {
		return classOf(c, nil)
	}
	return Class{Name: name, Noun: name, Verb: "released"}
}
