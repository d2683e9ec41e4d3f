// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// finalDead reports C calls that get the handle of an object which is not used
// any more: the collector may run the finalizer, and with it free the handle,
// while C works.
//
//	t := newTensor(data)
//	C.run(s.c, t.c)
//	runtime.KeepAlive(t) // missing
//
// An object that only this function knows is certainly dead there. Whether the
// caller of a method holds on to its receiver cannot be seen: that is likely
// wrong only where the package keeps such objects alive elsewhere.
func (e *engine) finalDead() []Verdict {
	var list []Verdict
	seen := map[token.Pos]bool{}
	for _, a := range e.armedFinals() {
		for _, fn := range e.funcs {
			if fn == a.fn || fn.Parent() != nil && isCgoWrapper(fn) {
				continue // the finalizer itself; cgo's literals go with the call
			}
			for _, call := range e.handleCalls(fn) {
				v, ok := e.deadDuring(fn, call, a)
				if ok && !seen[v.Pos] {
					seen[v.Pos] = true
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// handleCalls are the calls of C in fn, in order.
func (e *engine) handleCalls(fn *ssa.Function) []*ssa.Call {
	var list []*ssa.Call
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if ok && fromC(call) && !e.endsByC(call) {
				list = append(list, call)
			}
		}
	}
	return list
}

// c is the call of C itself, inside cgo's literal or not.
func c(call *ssa.Call) *ssa.CallCommon {
	if fn := call.Call.StaticCallee(); fn != nil && fn.Object() == nil {
		if inner := innerC(fn); inner != nil {
			return &inner.Call
		}
	}
	return &call.Call
}

// endsByC reports whether a call of C releases: who frees the handle need not
// keep the object.
func (e *engine) endsByC(call *ssa.Call) bool {
	cc := c(call)
	if m := e.callModel(cc); m != nil && modelEnds(m) {
		return true
	}
	name, _ := cFuncName(cc.StaticCallee().Name())
	return e.cEnds(name)
}

// deadDuring reports whether call gets a handle out of an object that has no
// later use in fn.
func (e *engine) deadDuring(fn *ssa.Function, call *ssa.Call, a *armed) (Verdict, bool) {
	for _, x := range e.handleOwners(call, a) {
		root, fresh := e.onlyHere(x)
		if root == nil {
			continue // something that lives on holds it
		}
		if root.Parent() == fn && (usedAfter(fn, call, root) || root != x && usedAfter(fn, call, x)) {
			continue // kept alive
		}
		tier := report.Possible
		if fresh || e.keepsAlive(a.named) {
			tier = report.Likely
		}
		v := e.finalVerdict(a.f, FinalDead, tier)
		v.Pos, v.End, v.Function = e.callPos(call), e.callEnd(call), funcName(fn)
		v.Name, v.Failed = e.nameOf(root), e.calleeName(c(call))
		return v, true
	}
	return Verdict{}, false
}

// handleOwners are the objects whose handle a call of C is given: read from the
// field, or got by a method that only reads it, here or inside cgo's literal.
func (e *engine) handleOwners(call *ssa.Call, a *armed) []ssa.Value {
	var list []ssa.Value
	for _, arg := range c(call).Args {
		if x := e.handleOwner(arg, a, 0); x != nil {
			list = append(list, outside(x))
		}
	}
	return list
}

// outside is the variable that a literal of cgo's has captured, or v.
//
//	t0 = *t:**thing (free variable)   // t0.c
func outside(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if fv, ok := load.X.(*ssa.FreeVar); ok {
			if b := binding(fv); b != nil {
				return b
			}
		}
	}
	if fv, ok := v.(*ssa.FreeVar); ok {
		if b := binding(fv); b != nil {
			return b
		}
	}
	return v
}

// binding is what a literal of cgo's was given for a free variable.
func binding(fv *ssa.FreeVar) ssa.Value {
	call := wrapperCall(fv.Parent())
	if call == nil {
		return nil
	}
	mc, ok := call.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return nil
	}
	for i, x := range mc.Fn.(*ssa.Function).FreeVars {
		if x == fv && i < len(mc.Bindings) {
			return mc.Bindings[i]
		}
	}
	return nil
}

// handleOwner is the object that a handle was read from.
func (e *engine) handleOwner(v ssa.Value, a *armed, depth int) ssa.Value {
	if depth > 6 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return e.handleOwner(v.X, a, depth+1)
	case *ssa.ChangeType:
		return e.handleOwner(v.X, a, depth+1)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		if fa, ok := v.X.(*ssa.FieldAddr); ok && isType(fa.X.Type(), a.named) && "."+fieldName(fa.X.Type(), fa.Field) == a.path {
			return fa.X
		}
		x := v.X
		if fv, ok := x.(*ssa.FreeVar); ok { // a variable that cgo's literal has captured
			x = binding(fv)
		}
		if cell, ok := x.(*ssa.Alloc); ok { // cgo's _cgo0
			if val := onlyStore(cell); val != nil {
				return e.handleOwner(val, a, depth+1)
			}
		}
		if ia, ok := v.X.(*ssa.IndexAddr); ok {
			return e.elementOwner(ia.X, a, depth)
		}
	case *ssa.IndexAddr: // &handles[0]
		return e.elementOwner(v.X, a, depth)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && len(v.Call.Args) == 1 && e.local(fn) && e.getsHandle(fn, a) {
			return v.Call.Args[0]
		}
	}
	return nil
}

// elementOwner is the object whose handle is an element of a list.
func (e *engine) elementOwner(list ssa.Value, a *armed, depth int) ssa.Value {
	seen := map[ssa.Value]bool{}
	var find func(v ssa.Value, depth int) ssa.Value
	find = func(v ssa.Value, depth int) ssa.Value {
		if seen[v] || depth > 10 {
			return nil
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			for _, x := range v.Edges {
				if got := find(x, depth+1); got != nil {
					return got
				}
			}
		case *ssa.Slice:
			return find(v.X, depth+1)
		case *ssa.FreeVar:
			if b := binding(v); b != nil {
				return find(b, depth+1)
			}
		case *ssa.UnOp:
			if load, ok := v.X.(*ssa.UnOp); ok && v.Op == token.MUL { // *_cgoIndex0
				if cell, ok := load.X.(*ssa.Alloc); ok {
					if p := onlyStore(cell); p != nil {
						return find(p, depth+1)
					}
				}
			}
			if fv, ok := v.X.(*ssa.FreeVar); ok && v.Op == token.MUL {
				return find(fv, depth+1)
			}
			if cell, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
				for _, ref := range *cell.Referrers() {
					if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
						if got := find(st.Val, depth+1); got != nil {
							return got
						}
					}
				}
			}
		case *ssa.Call: // append
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
				for _, x := range v.Call.Args {
					if got := find(x, depth+1); got != nil {
						return got
					}
				}
			}
		case *ssa.MakeSlice, *ssa.Alloc:
			for _, ref := range *v.Referrers() {
				if st, ok := ref.(*ssa.Store); ok && st.Addr == v {
					if got := find(st.Val, depth+1); got != nil {
						return got // the variable of a list
					}
				}
				ia, ok := ref.(*ssa.IndexAddr)
				if !ok {
					continue
				}
				for _, use := range *ia.Referrers() {
					if st, ok := use.(*ssa.Store); ok && st.Addr == ia {
						if got := e.handleOwner(st.Val, a, depth+1); got != nil {
							return got
						}
					}
				}
			}
		}
		return nil
	}
	return find(list, depth)
}

// onlyStore is what a variable that is set once holds.
func onlyStore(cell *ssa.Alloc) ssa.Value {
	var val ssa.Value
	for _, ref := range *cell.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
			if val != nil {
				return nil
			}
			val = st.Val
		}
	}
	return val
}

// getsHandle reports whether a method does nothing but return the handle.
func (e *engine) getsHandle(fn *ssa.Function, a *armed) bool {
	if len(fn.Blocks) != 1 || len(fn.Params) != 1 {
		return false
	}
	ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	return ok && len(ret.Results) == 1 && e.handleOwner(ret.Results[0], a, 3) == fn.Params[0]
}
