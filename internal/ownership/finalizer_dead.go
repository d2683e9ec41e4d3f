// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
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
	return hasWord(name, releaseWords)
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
		if cell, ok := v.X.(*ssa.Alloc); ok { // cgo's _cgo0
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

// onlyHere is what must stay alive for the object to do so, and whether nobody
// else can hold it: a new object that is stored nowhere. For an element of a
// parameter's list or map that is the list. It is nil where something that is
// seen to live on holds the object.
func (e *engine) onlyHere(x ssa.Value) (root ssa.Value, fresh bool) {
	switch v := x.(type) {
	case *ssa.Parameter:
		return v, false
	case *ssa.Call:
		if e.freshObject(v) && e.staysHere(v) {
			return v, true
		}
	case *ssa.Alloc:
		if isPointer(elem(v.Type())) { // a variable
			if val := onlyStore(v); val != nil {
				return e.onlyHere(val)
			}
			return nil, false
		}
		if e.staysHere(v) {
			return v, true
		}
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			if e.freshObject(t) && e.staysHere(v) {
				return v, true
			}
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok {
				return paramOf(r.X), false
			}
		case *ssa.Lookup:
			return paramOf(t.X), false
		}
	case *ssa.UnOp:
		if ia, ok := v.X.(*ssa.IndexAddr); ok && v.Op == token.MUL {
			return paramOf(ia.X), false
		}
		if cell, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			if val := onlyStore(cell); val != nil {
				return e.onlyHere(val)
			}
		}
	case *ssa.Lookup:
		return paramOf(v.X), false
	}
	return nil, false
}

func paramOf(v ssa.Value) ssa.Value {
	if p, ok := v.(*ssa.Parameter); ok {
		return p
	}
	return nil
}

// freshObject reports whether a call makes a new object: a constructor that
// sets the finalizer.
func (e *engine) freshObject(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || !e.local(fn) {
		return false
	}
	if e.setsFinal(fn) {
		return true
	}
	found := false // or a method that hands on what a constructor made
	eachInstr(fn, func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok {
			if callee := c.Call.StaticCallee(); callee != nil && e.setsFinal(callee) {
				found = true
			}
		}
	})
	return found
}

// aliases are v, the variables that hold it, and what is loaded from these.
func aliases(v ssa.Value) []ssa.Value {
	vals := []ssa.Value{v}
	for i := 0; i < len(vals) && i < 64; i++ {
		if vals[i].Referrers() == nil {
			continue
		}
		for _, ref := range *vals[i].Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == vals[i] && token.IsIdentifier(cell.Comment) && cell.Comment != "varargs" {
					vals = append(vals, cell)
				}
			case *ssa.UnOp:
				if _, ok := vals[i].(*ssa.Alloc); ok && vals[i] != v && ref.Op == token.MUL {
					vals = append(vals, ref)
				}
			case *ssa.MakeInterface, *ssa.Phi:
				vals = append(vals, ref.(ssa.Value))
			}
		}
	}
	return vals
}

// staysHere reports whether a new object is neither stored, returned nor
// captured, nor given to a function that may keep it: nobody else knows it.
func (e *engine) staysHere(v ssa.Value) bool {
	vals := aliases(v)
	same := map[ssa.Value]bool{}
	for _, x := range vals {
		same[x] = true
	}
	for _, x := range vals {
		for _, ref := range *x.Referrers() {
			switch ref := ref.(type) {
			case *ssa.DebugRef, *ssa.FieldAddr, *ssa.BinOp, *ssa.If, *ssa.UnOp, *ssa.MakeInterface, *ssa.Phi:
			case *ssa.Store:
				if !same[ref.Addr] {
					return false
				}
			case *ssa.MakeClosure:
				if !isCgoWrapper(ref.Fn.(*ssa.Function)) {
					return false
				}
			case ssa.CallInstruction:
				if runtimeFunc(ref.Common()) == "" && !e.callUses(ref.Common(), x) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// usedAfter reports whether fn uses v behind the call, or holds it to its end.
func usedAfter(fn *ssa.Function, call *ssa.Call, v ssa.Value) bool {
	if v.Referrers() == nil {
		return true
	}
	for _, x := range aliases(v) {
		for _, ref := range *x.Referrers() {
			switch ref := ref.(type) {
			case *ssa.DebugRef:
			case *ssa.Defer:
				return true // holds it until the end
			case *ssa.MakeClosure:
				if !isCgoWrapper(ref.Fn.(*ssa.Function)) || comesAfter(call, ref) {
					return true // runs some time, or in a later call of C
				}
			case ssa.Instruction:
				if ref.Parent() == fn && comesAfter(call, ref) {
					return true
				}
			}
		}
	}
	return false
}

// comesAfter reports whether an instruction can run behind the call.
func comesAfter(call *ssa.Call, in ssa.Instruction) bool {
	from, to := call.Block(), in.Block()
	if from == to {
		after := false
		for _, x := range from.Instrs {
			if x == ssa.Instruction(call) {
				after = true
			} else if x == in && after {
				return true
			}
		}
	}
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		if b == to {
			return true
		}
		for _, s := range b.Succs {
			if visit(s) {
				return true
			}
		}
		return false
	}
	for _, s := range from.Succs {
		if visit(s) {
			return true
		}
	}
	return false
}

// keepsAlive reports whether the package keeps objects of a type alive
// somewhere: its authors know that it has to.
func (e *engine) keepsAlive(named *types.Named) bool {
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if ok && runtimeFunc(call.Common()) == "KeepAlive" && isType(leafType(plainValue(call.Common().Args[0]).Type()), named) {
					return true
				}
			}
		}
	}
	return false
}

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
		return nil, nil
	}
	for _, acq := range e.acquisitions(&call.Call) {
		if acq.result == i && acq.path == "" && !acq.class.Owner && !acq.class.Inferred {
			return e.models.ClassByName(acq.class.Name), call
		}
	}
	return nil, nil
}
