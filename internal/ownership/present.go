// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// presentHelper understands a helper that asks whether there is a handle at
// all: for one that is there it always gives the same answer.
//
//	func check(h *C.mem) error {
//		if h == nil {
//			return errMemory
//		}
//		return nil
//	}
func (r *run) presentHelper(s *state, iv *invocation, held []int) {
	if iv.value == nil || iv.callee == nil || !r.e.local(iv.callee) || len(held) != 1 {
		return
	}
	i := held[0]
	if o, ok := iv.args[i].(own); !ok || o.sub || !pointerLike(iv.common.Args, i) || !r.e.effect(iv, i, "").plain() {
		return // an object around it, or the helper does something to it
	}
	switch r.e.onPresent(iv.callee, i) {
	case zeroNil:
		s.set(iv.value, nilVal{})
	case zeroFalse:
		s.set(iv.value, boolVal(false))
	case zeroTrue:
		s.set(iv.value, boolVal(true))
	}
}

// pointerLike reports whether argument i is nil or there.
func pointerLike(args []ssa.Value, i int) bool {
	if i >= len(args) {
		return false
	}
	switch u := args[i].Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// onPresent tells what fn returns when argument i is not nil.
func (e *engine) onPresent(fn *ssa.Function, i int) zeroResult {
	key := effectKey{fn: fn, arg: i, path: "!"}
	if z, ok := e.zeros[key]; ok {
		return z
	}
	e.zeros[key] = zeroOther // recursion
	if i >= len(fn.Params) || fn.Signature.Results().Len() != 1 {
		return zeroOther
	}
	r := e.newRun(fn, nil)
	s := newState()
	s.facts.set(sym{v: fn.Params[i]}, fact{isNil: -1})
	z := r.onlyResult(fn, s)
	e.zeros[key] = z
	return z
}

// onlyResult is what every path of fn from s on returns.
func (r *run) onlyResult(fn *ssa.Function, s *state) zeroResult {
	z := zeroResult(-1)
	for _, ret := range r.exec(fn, s, 0) {
		got := zeroOther
		switch v := ret.vals[0].(type) {
		case nilVal:
			got = zeroNil
		case boolVal:
			got = zeroFalse
			if v {
				got = zeroTrue
			}
		case sym:
			if ret.s.facts.at(v).isNil > 0 {
				got = zeroNil
			}
		}
		if z >= 0 && z != got {
			got = zeroOther
		}
		z = got
	}
	if z < 0 || r.degraded {
		return zeroOther
	}
	return z
}
