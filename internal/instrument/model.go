// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"go/types"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// A signature is what a function takes and gives back. Types are nil for C.
type signature struct {
	recv    types.Type // nil if it is no method
	params  []types.Type
	results []types.Type
	c       *cFunc // of a C function: its parameters and results are only text
}

func signatureOf(sig *types.Signature) signature {
	s := signature{}
	if r := sig.Recv(); r != nil {
		s.recv = r.Type()
	}
	for i := range sig.Params().Len() {
		s.params = append(s.params, sig.Params().At(i).Type())
	}
	for i := range sig.Results().Len() {
		s.results = append(s.results, sig.Results().At(i).Type())
	}
	return s
}

// A spec is how to tell the ledger of calls of one function.
type spec struct {
	fn  ledger.Func
	ins []int // what F is given: parameters, -1 for the receiver
}

// recvIn stands for the receiver among a spec's ins.
const recvIn = -1

// specOf turns a model into what the ledger can follow; nil if that is
// nothing. m may be nil: then only uses of resources remain, as the types show them.
func (b *builder) specOf(m *rules.Func, name string, sig signature, uses bool) *spec {
	t := &translation{b: b, m: m, sig: sig, s: &spec{fn: ledger.Func{Name: name}}}
	if m != nil {
		for i := range m.Effects {
			t.need(m.Effects[i].Place)
			t.need(m.Effects[i].Of)
			if w := m.Effects[i].When; w.Kind == rules.CondArg || w.Kind == rules.CondElems {
				t.need(rules.Place{Kind: rules.PlaceParam, Index: w.Arg})
			}
		}
	}
	if uses {
		t.needHandles()
	}
	slices.Sort(t.s.ins)
	t.s.fn.Ins = len(t.s.ins)
	if m != nil {
		for i := range m.Effects {
			t.effect(&m.Effects[i])
		}
		t.success()
	}
	if uses {
		t.uses()
	}
	if len(t.s.fn.Effects) == 0 {
		return nil
	}
	return t.s
}

// add enters a spec in the table and returns its number.
func (b *builder) add(s *spec) int {
	b.table.Funcs = append(b.table.Funcs, s.fn)
	return len(b.table.Funcs) - 1
}

// class is the number of a class in the table; -1 for none.
func (b *builder) class(c *rules.Class) int {
	if c == nil {
		return -1
	}
	if n, ok := b.classes[c.Name]; ok {
		return n
	}
	n := len(b.table.Classes)
	b.classes[c.Name] = n
	b.table.Classes = append(b.table.Classes, ledger.Class{
		Name: c.Name, Process: c.Process,
		Backstop: c.Backstop == rules.BackstopGC || c.Backstop == rules.BackstopLate,
		AgainOK:  c.Again == rules.AgainOK,
		Reused:   c.Name == heapClass,
	})
	var accepts []int
	for _, other := range c.Accepts {
		// The name is enough: what is never acquired is never looked for.
		accepts = append(accepts, b.class(&rules.Class{Name: other}))
	}
	b.table.Classes[n].Accepts = accepts
	return n
}

// A translation turns one model into one spec.
type translation struct {
	b   *builder
	m   *rules.Func
	sig signature
	s   *spec
}

func (t *translation) need(p rules.Place) {
	in := 0
	switch p.Kind {
	case rules.PlaceParam:
		in = p.Index
	case rules.PlaceRecv:
		in = recvIn
	default:
		return
	}
	if !slices.Contains(t.s.ins, in) {
		t.s.ins = append(t.s.ins, in)
	}
}

// place is p in the ledger's numbering.
func (t *translation) place(p rules.Place) ledger.Place {
	out := ledger.Place{Root: -1, Deref: p.Deref, Path: p.Path}
	switch p.Kind {
	case rules.PlaceParam:
		out.Root = slices.Index(t.s.ins, p.Index)
	case rules.PlaceRecv:
		out.Root = slices.Index(t.s.ins, recvIn)
	case rules.PlaceResult:
		out.Root = len(t.s.ins) + p.Index
	}
	if rt := t.b.handleType(t.typeAt(p)); rt != nil {
		out.Value = rt.ByValue
	}
	return out
}

// typeAt is the type of the handle at a place, nil if it is not known.
func (t *translation) typeAt(p rules.Place) types.Type {
	var typ types.Type
	switch {
	case p.Kind == rules.PlaceRecv:
		typ = t.sig.recv
	case p.Kind == rules.PlaceParam && p.Index < len(t.sig.params):
		typ = t.sig.params[p.Index]
	case p.Kind == rules.PlaceResult && p.Index < len(t.sig.results):
		typ = t.sig.results[p.Index]
	}
	for _, step := range p.Path {
		if typ == nil {
			return nil
		}
		under := typ.Underlying()
		if ptr, ok := under.(*types.Pointer); ok && step != "[]" {
			under = ptr.Elem().Underlying()
		}
		typ = nil
		switch u := under.(type) {
		case *types.Slice:
			typ = u.Elem()
		case *types.Array:
			typ = u.Elem()
		case *types.Map:
			typ = u.Elem()
		case *types.Chan:
			typ = u.Elem()
		case *types.Struct:
			for i := range u.NumFields() {
				if "."+u.Field(i).Name() == step {
					typ = u.Field(i).Type()
				}
			}
		}
	}
	return typ
}

// handleType is the model of the type of a handle.
func (b *builder) handleType(t types.Type) *rules.Type {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	for range 2 { // a pointer, or a pointer to an out-parameter
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
	}
	if n, ok := t.(*types.Named); ok {
		return b.set.Type(n.Origin().Obj())
	}
	return nil
}

// effect translates one effect.
func (t *translation) effect(e *rules.Effect) {
	class := e.Class
	if class == nil {
		if rt := t.b.handleType(t.typeAt(e.Place)); rt != nil {
			class = rt.Class
		}
	}
	out := ledger.Effect{Place: t.place(e.Place), Of: t.place(e.Of), Class: t.b.class(class), AgainOK: e.Again == rules.AgainOK, Advisory: e.Advisory}
	if !t.when(e.When, &out) {
		return
	}
	acquires := e.Op == rules.OpAcquire || e.Op == rules.OpGive || e.Op == rules.OpFill || e.Op == rules.OpView && e.Owned
	if acquires && (class == nil || class.Optional || class.Backstop == rules.BackstopGCOnly) {
		// Nobody need release it: that it is there says nothing.
		acquires = false
		e = &rules.Effect{Op: rules.OpBorrow, Place: e.Place}
	}
	switch e.Op {
	case rules.OpAcquire, rules.OpGive, rules.OpView, rules.OpFill, rules.OpBorrow:
		switch {
		case !acquires:
			out.Op = ledger.OpSeen
		case e.Op == rules.OpFill:
			out.Op = ledger.OpFill
			if !slices.Contains(out.Place.Path, "[]") {
				out.Place.Path = append(slices.Clone(out.Place.Path), "[]")
			}
		case e.Place.Kind == rules.PlaceNone && !class.Process:
			return // nothing that could be followed
		default:
			out.Op = ledger.OpAcquire
		}
	case rules.OpRelease, rules.OpConsume:
		out.Op = ledger.OpRelease
		if e.Op == rules.OpConsume {
			out.Op = ledger.OpConsume
		}
		switch {
		case e.Partial:
			return // the handle stays
		case e.When.Kind == rules.CondMaybe:
			out.Op = ledger.OpUnsure
		case e.Keyed, e.Place.Kind == rules.PlaceNone && (class == nil || !class.Process), t.hidden(e.Place):
			// Found by another object, or kept inside one: whichever of the class it was.
			out.Op, out.Place = ledger.OpUnsure, ledger.Place{Root: -1}
		}
	case rules.OpAdopt:
		out.Op = ledger.OpConsume
		if e.When.Kind == rules.CondDefault {
			out.When = ledger.WhenOnSuccess
		}
	case rules.OpAlias:
		out.Op = ledger.OpAlias
	case rules.OpCleanup:
		out.Op = ledger.OpCleanup
	case rules.OpCancel:
		out.Op = ledger.OpCancel
	case rules.OpSweep:
		out.Op, out.Place = ledger.OpSweep, ledger.Place{Root: -1}
	case rules.OpAsync:
		out.Op, out.When = ledger.OpUse, ledger.WhenSuccess
	default:
		return // changes nothing in a ledger
	}
	t.s.fn.Effects = append(t.s.fn.Effects, out)
}

// hidden reports whether a place means what an object keeps, and not the
// elements of a slice that could be looked at.
func (t *translation) hidden(p rules.Place) bool {
	i := slices.Index(p.Path, "[]")
	if i < 0 {
		return slices.ContainsFunc(p.Path, func(s string) bool { return strings.HasPrefix(s, "<") })
	}
	p.Path = p.Path[:i]
	typ := t.typeAt(p)
	if typ == nil {
		return t.sig.c == nil
	}
	switch typ.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map:
		return false
	}
	return true
}

// when translates a condition; false if it speaks of something that is not there.
func (t *translation) when(w rules.Cond, out *ledger.Effect) bool {
	truth := ledger.WhenTrue
	if w.Negate {
		truth = ledger.WhenFalse
	}
	switch w.Kind {
	case rules.CondAlways:
		out.When = ledger.WhenAlways
	case rules.CondSuccess:
		out.When = ledger.WhenOnSuccess
	case rules.CondFailure:
		out.When = ledger.WhenFailure
	case rules.CondArg:
		out.When, out.Arg = truth, slices.Index(t.s.ins, w.Arg)
		return out.Arg >= 0
	case rules.CondResult:
		out.When, out.Arg = truth, len(t.s.ins)+w.Arg
	case rules.CondElems:
		out.When, out.Arg = ledger.WhenEach, slices.Index(t.s.ins, w.Arg)
		return out.Arg >= 0
	case rules.CondMaybe:
		out.When = ledger.WhenMaybe
	}
	return true
}

// success translates how the function tells that it succeeded.
func (t *translation) success() {
	fn := &t.s.fn
	last := len(t.sig.results) - 1
	if t.sig.c != nil {
		last = t.sig.c.results() - 1
	}
	switch t.m.Success {
	case rules.SuccessError:
		fn.Success, fn.Result = ledger.SuccessNil, len(t.s.ins)+last
	case rules.SuccessTrue:
		fn.Success, fn.Result = ledger.SuccessTrue, len(t.s.ins)+last
	case rules.SuccessStatus:
		fn.Success, fn.Result, fn.Value = ledger.SuccessStatus, len(t.s.ins)+t.m.StatusResult, t.m.StatusValue
	case rules.SuccessAuto:
		if last < 0 || t.sig.c != nil {
			return
		}
		switch typ := t.sig.results[last]; {
		case isError(typ):
			fn.Success, fn.Result = ledger.SuccessNil, len(t.s.ins)+last
		case isBool(typ):
			fn.Success, fn.Result = ledger.SuccessTrue, len(t.s.ins)+last
		}
	}
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func isError(t types.Type) bool { return types.Implements(t, errorInterface) && !isStruct(t) }

func isStruct(t types.Type) bool { _, ok := t.Underlying().(*types.Struct); return ok }

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// needHandles asks for the arguments whose type is a resource's.
func (t *translation) needHandles() {
	if t.sig.recv != nil && t.b.handleType(t.sig.recv) != nil {
		t.need(rules.Place{Kind: rules.PlaceRecv})
	}
	for i, typ := range t.sig.params {
		if t.b.handleType(typ) != nil {
			t.need(rules.Place{Kind: rules.PlaceParam, Index: i})
		}
	}
}

// uses adds that resources among the arguments must be there, unless the model
// says more of them, and that those among the results are.
func (t *translation) uses() {
	spoken := func(root int) bool {
		return slices.ContainsFunc(t.s.fn.Effects, func(e ledger.Effect) bool { return e.Place.Root == root && len(e.Place.Path) == 0 })
	}
	add := func(op ledger.Op, p rules.Place) {
		rt := t.b.handleType(t.typeAt(p))
		out := t.place(p)
		if rt == nil || rt.Class == nil || rt.Class.Optional || spoken(out.Root) {
			return
		}
		t.s.fn.Effects = append(t.s.fn.Effects, ledger.Effect{Op: op, Class: t.b.class(rt.Class), Place: out})
	}
	add(ledger.OpUse, rules.Place{Kind: rules.PlaceRecv})
	for i := range t.sig.params {
		add(ledger.OpUse, rules.Place{Kind: rules.PlaceParam, Index: i})
	}
	for i := range t.sig.results {
		add(ledger.OpSeen, rules.Place{Kind: rules.PlaceResult, Index: i})
	}
}
