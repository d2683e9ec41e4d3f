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

// releasesField reports whether a call surely releases the struct of type t in a
// field of the object that is argument i.
func (e *engine) releasesField(c *ssa.CallCommon, i int, path string, t types.Type) bool {
	fn := c.StaticCallee()
	if fn == nil || !e.local(fn) || fn.Object() == nil {
		return false
	}
	for _, sub := range e.copyPaths(t) {
		eff := e.localEffect(fn, i, path+sub)
		if bits := eff.OK | eff.Err; bits == bitReleased {
			return true
		}
	}
	return false
}

// releasesPlace reports whether a call surely releases the struct of type t
// that is, or is pointed at by, argument i.
func (e *engine) releasesPlace(c *ssa.CallCommon, i int, t types.Type) bool {
	if m := e.callModel(c); m != nil {
		for _, eff := range m.Effects {
			if eff.Op != rules.OpRelease || eff.Partial || eff.Advisory || len(eff.Place.Path) > 0 || eff.When.Kind != rules.CondDefault {
				continue
			}
			iv := &invocation{common: c, method: !c.IsInvoke() && c.Signature().Recv() != nil, args: make([]val, len(c.Args))}
			if _, k, ok := iv.arg(eff.Place); ok && k == i {
				return true
			}
		}
		return false
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return false
	}
	iv := &invocation{common: c, callee: fn, obj: obj, method: fn.Signature.Recv() != nil}
	if !e.hasSummary(iv) {
		return false
	}
	for _, path := range e.copyPaths(t) {
		eff := e.effect(iv, i, path)
		bits := eff.OK | eff.Err
		if bits&bitReleased != 0 && bits&^(bitReleased|bitLive) == 0 && (eff.OK|bitLive) != bitLive && !mixed(eff.OK) {
			return true
		}
	}
	return false
}

// finalCopied reports an object that is copied out of one whose finalizer stays
// armed: when the collector takes that one, the copy's handle is gone.
//
//	newI := newImage(w, h) // sets a finalizer
//	*i = *newI
func (e *engine) finalCopied(fn *ssa.Function, st *ssa.Store) (Verdict, bool) {
	load, ok := st.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !isStructVal(load.Type()) || !isPointer(load.X.Type()) {
		return Verdict{}, false
	}
	named := namedOf(load.Type())
	if named == nil || named.Obj().Pkg() != e.pass.Pkg {
		return Verdict{}, false
	}
	obj := load.X
	if v, ok := obj.(*ssa.UnOp); ok && v.Op == token.MUL {
		if cell, ok := v.X.(*ssa.Alloc); ok && onlyStore(cell) != nil {
			obj = onlyStore(cell) // a variable that a literal of cgo's has captured
		}
	}
	from := obj
	if x, ok := from.(*ssa.Extract); ok {
		from = x.Tuple
	}
	call, ok := from.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || !e.setsFinalOn(call.Call.StaticCallee(), named) {
		return Verdict{}, false // no constructor that sets one
	}
	if cell, ok := st.Addr.(*ssa.Alloc); ok && !cell.Heap {
		return Verdict{}, false // a look at it
	}
	if e.disarmsObject(obj) || livesOn(obj) {
		return Verdict{}, false // taken off, or the original lives on and owns
	}
	return Verdict{
		Kind: OwnerCopied, Tier: report.Likely, Pos: st.Pos(), Class: Class{Name: "copy", Noun: named.Obj().Name(), Verb: "released"},
		Function: funcName(fn), Acquired: st.Pos(), Name: e.nameOf(obj), Nil: true,
	}, true
}

// disarmsObject reports whether an object's finalizer is taken off here, or by
// a function that is given the object.
func (e *engine) disarmsObject(v ssa.Value) bool {
	for _, x := range aliases(v) {
		for _, ref := range *x.Referrers() {
			call, ok := ref.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if runtimeFunc(call.Common()) == "SetFinalizer" {
				c, isConst := call.Common().Args[1].(*ssa.Const)
				if isConst && c.Value == nil {
					return true
				}
			}
			if callee := call.Common().StaticCallee(); callee != nil && e.local(callee) && e.disarms(callee, 1) {
				return true
			}
		}
	}
	return false
}

// setsFinalOn reports whether a function sets a finalizer on objects of a type.
func (e *engine) setsFinalOn(fn *ssa.Function, named *types.Named) bool {
	for _, f := range e.finals() {
		if f.fn != nil && top(f.in) == fn && isType(f.obj.Type(), named) {
			return true
		}
	}
	return false
}

// ownerVar reports whether a variable holds, by value, the struct that is the
// resource.
func (s *state) ownerVar(l loc, ptr types.Type) bool {
	if s.status != live || !isLocal(l.root) || !isStructVal(elem(ptr)) {
		return false
	}
	o, ok := s.mem.at(l).(own)
	return ok && !o.sub
}

// livesOn reports whether a new object is returned, stored or captured: it is
// still somebody's.
func livesOn(v ssa.Value) bool {
	vals := aliases(v)
	same := map[ssa.Value]bool{}
	for _, x := range vals {
		same[x] = true
	}
	for _, x := range vals {
		for _, ref := range *x.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Return, *ssa.MapUpdate:
				return true
			case *ssa.MakeClosure:
				if !isCgoWrapper(ref.Fn.(*ssa.Function)) {
					return true
				}
			case *ssa.Store:
				if ref.Val == x && !same[ref.Addr] {
					return true
				}
			}
		}
	}
	return false
}
