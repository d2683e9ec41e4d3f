// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// isDiscarded reports whether the result never gets a name: it is dropped on
// the spot, or goes straight into a call that only borrows it.
func (e *engine) isDiscarded(st *site) bool {
	if st.acq.result < 0 || st.acq.path != "" {
		return false
	}
	var v ssa.Value = st.call
	if st.call.Call.Signature().Results().Len() > 1 {
		v = nil
		for _, ref := range *st.call.Referrers() {
			if x, ok := ref.(*ssa.Extract); ok && x.Index == st.acq.result {
				v = x
			}
		}
		if v == nil {
			return true // x, _ := the other way round
		}
	}
	return unnamed(v, 0)
}

func unnamed(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 4 {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
			if id, ok := ref.Expr.(*ast.Ident); ok && !isCgoTemp(id.Name) {
				return false // bound to a variable
			}
		case *ssa.Call, *ssa.Defer, *ssa.Go:
		case *ssa.Return:
			// The end of cgo's literal: go on behind its call.
			call := wrapperCall(ref.Parent())
			if call == nil || !unnamed(call, depth+1) {
				return false
			}
		case *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.ChangeInterface:
			if !unnamed(ref.(ssa.Value), depth+1) {
				return false
			}
		case *ssa.Store:
			// The slice of variadic arguments, or the cell of a struct handle
			// that an inline method call needs.
			switch a := ref.Addr.(type) {
			case *ssa.IndexAddr:
				if al, ok := a.X.(*ssa.Alloc); !ok || al.Comment != "varargs" {
					return false
				}
			case *ssa.Alloc:
				if a.Comment != "" && token.IsIdentifier(a.Comment) && !isCgoTemp(a.Comment) {
					return false
				}
			default:
				return false
			}
		default:
			return false
		}
	}
	return true
}

// wrapperCall is the call of a literal that cgo put around a C call.
func wrapperCall(fn *ssa.Function) *ssa.Call {
	if fn.Parent() == nil || !isCgoWrapper(fn) {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			switch v := call.Call.Value.(type) {
			case *ssa.MakeClosure:
				if v.Fn == fn {
					return call
				}
			case *ssa.Function:
				if v == fn {
					return call
				}
			}
		}
	}
	return nil
}

// isCgoTemp reports whether cgo named a variable.
func isCgoTemp(name string) bool {
	return strings.HasPrefix(name, "_cgo")
}

// deferReleases reports whether a deferred call is a release at all.
func (e *engine) deferReleases(d *ssa.Defer) bool {
	if d == nil {
		return false
	}
	c := &d.Call
	if m := e.callModel(c); m != nil {
		return modelEnds(m)
	}
	if fn := c.StaticCallee(); fn != nil && fn.Object() != nil {
		if e.local(fn) {
			for i := range fn.Params {
				if eff := e.localEffect(fn, i, ""); (eff.OK|eff.Err)&(bitReleased|bitMoved) != 0 {
					return true
				}
			}
			return false
		}
		obj, _ := fn.Object().(*types.Func)
		if obj != nil {
			if name, ok := cFuncName(obj.Name()); ok {
				return e.cEnds(name)
			}
			return releaseNames[obj.Name()]
		}
	}
	// defer C.free(p): a literal that returns a literal.
	if call, ok := c.Value.(*ssa.Call); ok {
		if mc, ok := call.Call.Value.(*ssa.MakeClosure); ok {
			return e.literalReleases(mc.Fn.(*ssa.Function), 0)
		}
		if fn, ok := call.Call.Value.(*ssa.Function); ok {
			return e.literalReleases(fn, 0)
		}
	}
	return false
}

func (e *engine) literalReleases(fn *ssa.Function, depth int) bool {
	if depth > 3 {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if m := e.callModel(call.Common()); m != nil && modelEnds(m) {
				return true
			}
			if callee := call.Common().StaticCallee(); callee != nil {
				if name, ok := cFuncName(callee.Name()); ok && e.cEnds(name) {
					return true
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		if e.literalReleases(anon, depth+1) {
			return true
		}
	}
	return false
}
