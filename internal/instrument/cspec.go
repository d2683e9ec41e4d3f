// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// cSpec is how the ledger follows a C function; nil if it does not.
func (b *builder) cSpec(u *unit, name string, c *cFunc) *spec {
	m := b.set.C(name)
	var s *spec
	switch {
	case m == nil && len(c.pairs) > 0:
		s = b.pairSpec(name, c)
	case m != nil && len(m.Params) == len(c.params):
		s = b.specOf(m, "C."+name, signature{c: c}, false)
	case m != nil:
		return nil // a model of another version
	}
	s = b.cUses(u, name, c, s)
	if s == nil {
		return nil // nothing to follow
	}
	s.fn.Raw = true
	return s
}

// cUses adds to a spec that the handles which a function is given must be there:
// pointers, and numbers of a type that is a resource. What it gives back is.
// That is of use only where something is released that does not come back
// unseen, as C's heap does.
func (b *builder) cUses(u *unit, name string, c *cFunc, s *spec) *spec {
	if !u.device || cAsks(name) {
		return s
	}
	out := &spec{fn: ledger.Func{Name: "C." + name}}
	if s != nil {
		out.fn = s.fn
	}
	// All parameters are given to F, so that places must be numbered anew.
	number := func(p ledger.Place) ledger.Place {
		switch {
		case s == nil || p.Root < 0:
		case p.Root < len(s.ins):
			p.Root = s.ins[p.Root]
		default:
			p.Root += len(c.params) - len(s.ins)
		}
		return p
	}
	out.fn.Effects = nil
	spoken := map[int]bool{}
	if s != nil {
		for _, e := range s.fn.Effects {
			e.Place, e.Of = number(e.Place), number(e.Of)
			if e.When == ledger.WhenTrue || e.When == ledger.WhenFalse || e.When == ledger.WhenEach {
				e.Arg = number(ledger.Place{Root: e.Arg}).Root
			}
			spoken[e.Place.Root] = true
			out.fn.Effects = append(out.fn.Effects, e)
		}
		out.fn.Result = number(ledger.Place{Root: s.fn.Result}).Root
	}
	for i, t := range c.params {
		out.ins = append(out.ins, i)
		if !spoken[i] && b.cHandle(t) {
			out.fn.Effects = append(out.fn.Effects, ledger.Effect{Op: ledger.OpUse, Class: -1, Place: ledger.Place{Root: i}, Of: ledger.Place{Root: -1}})
		}
	}
	out.fn.Ins = len(out.ins)
	if n := len(c.params); b.cHandle(c.result) && !spoken[n] {
		out.fn.Effects = append(out.fn.Effects, ledger.Effect{Op: ledger.OpSeen, Class: -1, Place: ledger.Place{Root: n}, Of: ledger.Place{Root: -1}})
	}
	if len(out.fn.Effects) == 0 {
		return nil
	}
	return out
}

// cHandle reports whether a value of a type may be a handle.
func (b *builder) cHandle(typ string) bool {
	if typ == "unsafe.Pointer" || strings.HasPrefix(typ, "*") {
		return true
	}
	name, ok := strings.CutPrefix(typ, "C.")
	return ok && b.set.CType(name) != nil
}

// cAsks reports whether a function may be given what is gone: it asks about
// it. cgo's own helpers copy, and are given strings.
func cAsks(name string) bool {
	for _, word := range []string{"Attribute", "attribute", "Query", "query", "Valid", "valid", "GoString", "GoBytes"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// releasesDevice reports whether a package calls a C function that releases
// something whose address does not come back unseen.
func (b *builder) releasesDevice(u *unit) bool {
	for name := range u.c {
		m := b.set.C(name)
		if m == nil {
			continue
		}
		for _, e := range m.Effects {
			if e.Op == rules.OpRelease && e.Class != nil && e.Class.Name != heapClass {
				return true
			}
		}
	}
	return false
}

// heapClass is C's heap, which hands freed addresses out again behind our back.
const heapClass = "c.heap"

// pairSpec follows a function by the pairs that it is in.
func (b *builder) pairSpec(name string, c *cFunc) *spec {
	s := &spec{fn: ledger.Func{Name: "C." + name}}
	for i := range c.params {
		s.ins = append(s.ins, i)
	}
	s.fn.Ins = len(s.ins)
	for _, p := range c.pairs {
		e := ledger.Effect{Op: ledger.OpAcquire, Class: b.inferredClass(p), Place: ledger.Place{Root: p.Param, Deref: p.Deref}, Of: ledger.Place{Root: -1}}
		if p.Release {
			e.Op = ledger.OpRelease
		}
		if p.Param < 0 {
			e.Place.Root = len(s.ins)
		}
		s.fn.Effects = append(s.fn.Effects, e)
	}
	return s
}

// inferredClass is the number of a class that nobody has declared.
func (b *builder) inferredClass(p ownership.CPair) int {
	n, ok := b.classes[p.Class]
	if !ok {
		n = len(b.table.Classes)
		b.classes[p.Class] = n
		b.table.Classes = append(b.table.Classes, ledger.Class{Name: p.Class, Inferred: true, Reused: true})
	}
	return n
}

// cNumber is the number of a C function's spec, the same for all calls in a
// package.
func (b *builder) cNumber(u *unit, name string, s *spec) int {
	name = u.pkg.path() + " " + name
	n, ok := b.cNumbers[name]
	if !ok {
		n = b.add(s)
		b.cNumbers[name] = n
	}
	return n
}
