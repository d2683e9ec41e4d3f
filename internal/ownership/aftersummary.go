// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// hasEffect reports whether a summary says that a call does more with the
// handle than to use it.
func (r *run) hasEffect(iv *invocation, held []int) bool {
	for _, i := range held {
		if eff := r.e.effect(iv, i, ""); !eff.plain() {
			return true
		}
	}
	return false
}

// afterSummary is a function of the user's that is given the released handle.
func (r *run) afterSummary(s *state, iv *invocation, held []int) bool {
	for _, i := range held {
		eff := r.e.effect(iv, i, "")
		if cond := eff.Cond; cond >= 0 && cond < len(iv.args) {
			if b, known := r.condArg(s, iv, cond); known && b {
				eff = eff.when(eff.True)
			} else if known {
				eff = eff.when(eff.False)
			}
		}
		switch bits := eff.OK | eff.Err; {
		case bits == bitReleased:
			if r.e.afterUse(iv, i)&usesFree == 0 {
				return true // it checks first, or clears what it frees
			}
			return r.again(s, iv, nil)
		case bits&^(bitLive|bitReturned) != 0:
			return true // stored, or released sometimes
		}
		if u := r.e.afterUse(iv, i); u&usesAlways != 0 {
			if s.freed.kept {
				return true
			}
			r.use(s, iv, report.Definite)
			return true
		}
	}
	return false
}

// Uses of a released handle that a function makes.
const (
	usesSome   uint8 = 1 << iota // on some path
	usesAlways                   // on every path
	usesFree                     // releases it once more
)

// afterUse tells what a function does with a handle that was released before.
func (e *engine) afterUse(iv *invocation, i int) uint8 {
	if fn := iv.callee; fn != nil && e.local(fn) {
		return e.localAfterUse(fn, i)
	}
	if f := e.fact(iv.obj); f != nil {
		for _, p := range f.Params {
			if p.Param == i && p.Path == "" {
				return p.After
			}
		}
	}
	return 0
}

// mayBeHandle reports whether a parameter of type t can be a handle itself.
func (e *engine) mayBeHandle(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind() == types.UnsafePointer
	}
	return e.classOfType(t) != nil || cTypeKey(t) != ""
}

func (e *engine) localAfterUse(fn *ssa.Function, i int) uint8 {
	key := effectKey{fn: fn, arg: i}
	if u, ok := e.afters[key]; ok {
		return u // also the answer to recursion: it does not
	}
	e.afters[key] = 0
	if i >= len(fn.Params) {
		return 0
	}
	r := e.newRun(fn, nil)
	r.after = true
	s := newState()
	s.status = live
	s.freed = &freed{preset: true, certain: report.Definite}
	s.env.set(fn.Params[i], own{})
	rets := r.exec(fn, s, 0)
	var u uint8
	clean := r.degraded
	for _, ret := range rets {
		clean = clean || ret.s.freed != nil
	}
	for _, m := range r.misuses {
		switch m.kind {
		case UsedAfter:
			u |= usesSome
			if !clean {
				u |= usesAlways
			}
		case ReleasedTwice:
			u |= usesSome | usesFree
		}
	}
	e.afters[key] = u
	return u
}
