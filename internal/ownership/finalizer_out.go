// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// madeByOut is madeBy for what C has put into a variable.
//
//	var p unsafe.Pointer
//	C.cudaMallocHost(&p, n)
//	b := &buffer{p: p}
func (e *engine) madeByOut(v ssa.Value) (*rules.Class, *ssa.Call) {
	cell := cellOf(v)
	if cell == nil {
		return nil, nil
	}
	var class *rules.Class
	var made *ssa.Call
	for _, st := range e.sites(top(cell.Parent())) {
		if st.acq.param < 0 || st.acq.path != "" || st.acq.class.Owner || st.acq.class.Inferred || st.acq.param >= len(st.call.Call.Args) {
			continue // a result, a field, or a guess
		}
		if outArg(st.call.Call.Args[st.acq.param], 0) != ssa.Value(cell) {
			continue // another variable
		}
		if made != nil {
			return nil, nil // one of two ways: it cannot be told which
		}
		class, made = e.models.ClassByName(st.acq.class.Name), st.call
	}
	return class, made
}

// cellOf is the variable that a value was read from, or nil.
func cellOf(v ssa.Value) *ssa.Alloc {
	load, ok := plainValue(v).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	cell, _ := load.X.(*ssa.Alloc)
	return cell
}

// outArg is the variable whose address C is given, through cgo's literal.
//
//	t0 = convert unsafe.Pointer <- p     (free variable)
//	t1 = *_cgo0
func outArg(v ssa.Value, depth int) ssa.Value {
	if depth > 6 {
		return v
	}
	switch x := plainValue(v).(type) {
	case *ssa.UnOp:
		if cell, ok := x.X.(*ssa.Alloc); ok && x.Op == token.MUL {
			if val := onlyStore(cell); val != nil {
				return outArg(val, depth+1)
			}
		}
	case *ssa.FreeVar:
		if b := binding(x); b != nil {
			return outArg(b, depth+1)
		}
	case *ssa.Alloc:
		return x
	}
	return v
}

// sameRead reports whether two values are the same: one value, or two loads of
// a variable that is filled once, by C or by an assignment.
func sameRead(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	cell := cellOf(a)
	return cell != nil && cell == cellOf(b) && stores(cell) <= 1
}

// stores counts the assignments to a variable.
func stores(cell *ssa.Alloc) int {
	n := 0
	for _, ref := range *cell.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
			n++
		}
	}
	return n
}

// finalOnly reports whether fn runs as a finalizer or cleanup and in no other
// way: it is the literal that one was set to.
func (e *engine) finalOnly(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false // has a name, by which anybody may call it
	}
	for _, f := range e.finals() {
		if f.fn != nil && e.finalFunc(f.fn) == fn {
			return true
		}
	}
	return false
}
