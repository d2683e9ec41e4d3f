// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// finalEarly reports finalizers that are set on a variable instead of on the
// object: the variable dies with the function, and the object's handle is
// freed while it is in use.
//
//	runtime.AddCleanup(&t, free, t.ptr) // t is a pointer: &t is the variable
//	t := T{ptr: p}
//	runtime.SetFinalizer(&t, free)
//	return t // a copy
func (e *engine) finalEarly(f *final) (Verdict, bool) {
	cell, ok := f.obj.(*ssa.Alloc)
	if !ok || !token.IsIdentifier(cell.Comment) || cell.Comment == "complit" || cell.Comment == "new" {
		return Verdict{}, false // not a variable
	}
	copied := false
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != cell {
				return Verdict{}, false // its address is kept: the variable is the object
			}
		case *ssa.UnOp:
			copied = copied || leavesFunction(ref)
		case *ssa.FieldAddr:
			if !onlyAccessed(ref) {
				return Verdict{}, false
			}
		case *ssa.MakeInterface:
			for _, use := range *ref.Referrers() {
				if c, ok := use.(*ssa.Call); !ok || runtimeFunc(&c.Call) == "" {
					return Verdict{}, false
				}
			}
		case *ssa.Call:
			if runtimeFunc(&ref.Call) == "" {
				return Verdict{}, false // a method, which may keep it
			}
		case *ssa.DebugRef:
		default:
			return Verdict{}, false // captured, returned, converted: it may live on
		}
	}
	if !copied {
		return Verdict{}, false
	}
	v := e.finalVerdict(f, FinalEarly, report.Definite)
	v.Name = cell.Comment
	v.Nil = isPointer(cell.Type().Underlying().(*types.Pointer).Elem())
	return v, true
}

// leavesFunction reports whether a value is returned, stored or passed on: it
// lives on without the variable that it was read from.
func leavesFunction(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Return, *ssa.MapUpdate, *ssa.Send, *ssa.MakeInterface:
			return true
		case *ssa.Store:
			if ref.Val == v {
				return true
			}
		}
	}
	if p, ok := v.(*ssa.UnOp); ok {
		cell, ok := p.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		for _, ref := range *cell.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
				if _, param := st.Val.(*ssa.Parameter); param {
					return isPointer(st.Val.Type()) // the caller has the object
				}
			}
		}
	}
	return false
}

// onlyAccessed reports whether a field's address is only loaded from and
// stored to.
func onlyAccessed(fa *ssa.FieldAddr) bool {
	for _, ref := range *fa.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != fa {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
