// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// finalMismatch reports objects whose finalizer frees with one allocator what
// another one made.
//
//	p := pool.Alloc(n)
//	s := newStorage(p) // whose finalizer calls cudaFree
func (e *engine) finalMismatch() []Verdict {
	var list []Verdict
	for _, a := range e.armedFinals() {
		frees := e.finalClass(a)
		if frees == nil {
			continue
		}
		for _, fn := range e.funcs {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					call, ok := in.(*ssa.Call)
					if !ok || call.Call.StaticCallee() != top(a.f.in) {
						continue
					}
					i := e.storedParam(top(a.f.in), a)
					if i < 0 || i >= len(call.Call.Args) {
						continue
					}
					if v, ok := e.mismatch(fn, a, call.Call.Args[i], frees); ok {
						v.Pos, v.End = e.callPos(call), e.callEnd(call)
						list = append(list, v)
					}
				}
			}
		}
		if val := storedValue(a); val != nil {
			if v, ok := e.mismatch(top(a.f.in), a, val, frees); ok {
				list = append(list, v)
			}
		}
	}
	return list
}

func (e *engine) mismatch(fn *ssa.Function, a *armed, v ssa.Value, frees *rules.Class) (Verdict, bool) {
	made, call := e.madeBy(v)
	if made == nil || frees.Releases(made) || made.Releases(frees) {
		return Verdict{}, false
	}
	got := e.finalVerdict(a.f, FinalMismatch, report.Likely)
	got.Function, got.Class = funcName(fn), classOf(made, nil)
	got.Name, got.Failed = a.named.Obj().Name(), classOf(frees, nil).Noun
	got.Acquired, got.Callee = e.callPos(call), e.sourceName(call)
	return got, true
}

// finalClass is the class that the finalizer's release is of.
func (e *engine) finalClass(a *armed) *rules.Class {
	var found *rules.Class
	eachInstr(a.fn, func(in ssa.Instruction) {
		call, ok := in.(ssa.CallInstruction)
		if !ok {
			return
		}
		m := e.callModel(call.Common())
		if m == nil {
			return
		}
		for _, eff := range m.Effects {
			if eff.Op == rules.OpRelease && eff.Class != nil {
				found = e.models.ClassByName(eff.Class.Name)
			}
		}
	})
	return found
}

// storedParam is the parameter of a constructor that it puts into the field.
func (e *engine) storedParam(fn *ssa.Function, a *armed) int {
	if val, ok := plainValueOr(storedValue(a)).(*ssa.Parameter); ok {
		for i, p := range fn.Params {
			if p == val {
				return i
			}
		}
	}
	return -1
}

func plainValueOr(v ssa.Value) ssa.Value {
	if v == nil {
		return nil
	}
	return plainValue(v)
}

// storedValue is what the function that sets the finalizer puts into the field.
func storedValue(a *armed) ssa.Value {
	if a.f.obj.Referrers() == nil {
		return nil
	}
	for _, ref := range *a.f.obj.Referrers() {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || "."+fieldName(fa.X.Type(), fa.Field) != a.path {
			continue
		}
		for _, use := range *fa.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == fa {
				return st.Val
			}
		}
	}
	return nil
}

// madeBy is the class of the resource that a value is, and the call that made
// it.
func (e *engine) madeBy(v ssa.Value) (*rules.Class, *ssa.Call) {
	v = plainValue(v)
	i := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, i = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return e.madeByOut(v)
	}
	for _, acq := range e.acquisitions(&call.Call) {
		if acq.result == i && acq.path == "" && !acq.class.Owner && !acq.class.Inferred {
			return e.models.ClassByName(acq.class.Name), call
		}
	}
	return nil, nil
}
