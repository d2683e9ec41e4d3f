// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// panics notes what is lost if a use of the resource panics, where the function
// itself makes an error of panics: it counts on them, and the program goes on.
// Elsewhere a panic owes nothing.
//
//	defer func() {
//		if r := recover(); r != nil {
//			err = errFailed
//		}
//	}()
//	s := pool.GetSession()
//	out, err = s.Generate(prompt)
//	pool.PutSession(s) // not reached
func (r *run) panics(fr *frame, s *state, iv *invocation) {
	if r.target == nil || r.after || s.status != live || s.weak || fr.depth > 0 || iv.in == r.target.call || !r.e.recovers(fr.fi.fn, s) {
		return
	}
	if s.deferredHold() || !r.usesOnly(iv) {
		return // a deferred call has it; or this ends it
	}
	for m, v := range s.mem.all() {
		if !isLocal(m.root) && s.reach(v) {
			return // something that lives on has it
		}
	}
	pos := r.e.posOf(iv.in)
	for _, o := range r.panicked {
		if o.pos == pos {
			return
		}
	}
	r.panicked = append(r.panicked, outcome{kind: Leak, s: s.clone(), pos: pos, fn: fr.fi.fn, err: true, panics: r.e.invokedName(iv), certain: report.Likely})
}

// usesOnly reports whether a call is a method of the handle, or of a library's,
// that only uses it. C does not panic, and of other functions it is not known
// that they are what the recover is for.
func (r *run) usesOnly(iv *invocation) bool {
	if len(iv.args) == 0 || iv.obj == nil {
		return false
	}
	if o, ok := iv.args[0].(own); !ok || o.sub || !iv.method {
		return false
	}
	if _, isC := cFuncName(iv.obj.Name()); isC || releaseNames[iv.obj.Name()] {
		return false
	}
	if iv.model != nil {
		return !modelEnds(iv.model) && fails(iv.obj.Signature())
	}
	return fails(iv.obj.Signature()) && r.e.hasSummary(iv) && r.e.effect(iv, 0, "").plain()
}

// recovers reports whether a deferred literal of fn that is registered on the
// path recovers and sets a result: it calls recover, and neither panics again
// nor ends the program.
func (e *engine) recovers(fn *ssa.Function, s *state) bool {
	if fn.Recover == nil || len(s.defers) == 0 {
		return false
	}
	for _, d := range s.defers[0] {
		if c, ok := d.fn.(*clo); ok && c.fn.Object() == nil && e.turnsPanics(c.fn) {
			return true
		}
	}
	return false
}

func (e *engine) turnsPanics(lit *ssa.Function) bool {
	recovers, sets := false, false
	for _, b := range lit.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Panic:
				return false // goes on panicking
			case *ssa.Call:
				if bi, ok := in.Call.Value.(*ssa.Builtin); ok && bi.Name() == "recover" {
					recovers = true
					continue
				}
				callee := in.Call.StaticCallee()
				if callee == nil {
					continue
				}
				obj, _ := callee.Object().(*types.Func)
				if e.noReturn(&invocation{obj: obj, callee: callee}) {
					return false // the process ends
				}
			case *ssa.Store:
				if fv, ok := in.Addr.(*ssa.FreeVar); ok && isError(elem(fv.Type())) {
					sets = true
				}
			}
		}
	}
	return recovers && sets
}
