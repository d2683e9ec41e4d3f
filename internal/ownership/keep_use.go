// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// keepUse follows what is read out of a container: is an element released, is
// it returned, does the whole container go to code that cannot be seen?
type keepUse struct {
	k     *keepScan
	h     *held
	seen  map[ssa.Value]bool
	depth int
}

// uses looks at every read of a place.
func (k *keepScan) uses(h *held) {
	u := &keepUse{k: k, h: h, seen: map[ssa.Value]bool{}}
	for _, v := range h.loads {
		u.whole(v)
	}
	for _, v := range h.reads {
		u.element(v)
	}
}

// load notes a read of a whole container, and the element of a list.
func (k *keepScan) load(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op != token.MUL || !isKeeperType(in.Type()) {
			return
		}
		if ref, ok := k.address(in.X); ok {
			k.at(ref.place).loads = append(k.at(ref.place).loads, in)
			if isListType(in.Type()) {
				k.lists[top(in.Parent())] = append(k.lists[top(in.Parent())], k.at(ref.place))
			}
		}
	case *ssa.FieldAddr:
		t := elem(in.Type())
		if isListElement(in.X.Type()) && in.Field < 4 && fieldName(in.X.Type(), in.Field) == "Value" {
			k.listReads[top(in.Parent())] = append(k.listReads[top(in.Parent())], in)
			return
		}
		if _, isArray := t.Underlying().(*types.Array); isArray || isListType(t) {
			if ref, ok := k.address(in); ok {
				k.at(ref.place).loads = append(k.at(ref.place).loads, in)
				if isListType(t) {
					k.lists[top(in.Parent())] = append(k.lists[top(in.Parent())], k.at(ref.place))
				}
			}
		}
	}
}

// isKeeperType reports whether a value of type t is a container.
func isKeeperType(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan, *types.Array:
		return true
	}
	return isListType(t)
}

func isListType(t types.Type) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Pkg().Path() == "container/list" && n.Obj().Name() == "List"
}

func isListElement(t types.Type) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Pkg().Path() == "container/list" && n.Obj().Name() == "Element"
}

func (u *keepUse) enter(v ssa.Value) bool {
	if v == nil || u.seen[v] || v.Referrers() == nil || len(u.seen) > 400 {
		return false
	}
	u.seen[v] = true
	return true
}

// whole follows a value that is the container.
func (u *keepUse) whole(v ssa.Value) {
	if !u.enter(v) {
		return
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Range:
			u.whole(ref)
		case *ssa.Next:
			u.whole(ref)
		case *ssa.Extract:
			// The key and the value of a Next; the value of a receive.
			if ref.Index > 0 || !isBool(ref.Type()) {
				u.part(ref)
			}
		case *ssa.Lookup:
			if ref.X == v {
				u.part(ref)
			}
		case *ssa.IndexAddr, *ssa.Index:
			u.part(ref.(ssa.Value))
		case *ssa.Slice:
			if ref.X == v {
				u.whole(ref)
			}
		case *ssa.Phi, *ssa.ChangeType, *ssa.MakeInterface:
			u.whole(ref.(ssa.Value))
		case *ssa.UnOp:
			u.part(ref) // a receive, or a load through a pointer
		case *ssa.Store:
			if ref.Val == v {
				if to, ok := u.k.address(ref.Addr); !ok || to.place != u.h.keepPlace {
					u.hand(ref)
				}
			}
		case *ssa.MapUpdate:
			if ref.Value == v {
				if to, ok := u.k.container(ref.Map); !ok || to.place != u.h.keepPlace {
					u.h.escapes = true
				}
			}
		case *ssa.Return:
			u.h.escapes = true
		case *ssa.Send:
			if ref.X == v {
				u.h.escapes = true
			}
		case ssa.CallInstruction:
			u.wholeCall(ref, v)
		}
	}
}

// hand follows a container that is put into a local variable.
func (u *keepUse) hand(st *ssa.Store) {
	switch a := st.Addr.(type) {
	case *ssa.Alloc:
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp:
				u.whole(r)
			case *ssa.IndexAddr:
				u.part(r) // a copy of an array
			}
			if mc, ok := r.(*ssa.MakeClosure); ok {
				for i, b := range mc.Bindings {
					if b == a {
						for _, r := range *mc.Fn.(*ssa.Function).FreeVars[i].Referrers() {
							if load, ok := r.(*ssa.UnOp); ok {
								u.whole(load)
							}
						}
					}
				}
			}
		}
	default:
		u.h.escapes = true
	}
}

// part follows an element, or a container inside the container.
func (u *keepUse) part(v ssa.Value) {
	t := v.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if _, isIndex := v.(*ssa.IndexAddr); isIndex {
			t = p.Elem()
		}
	}
	if tup, ok := t.(*types.Tuple); ok && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	if isContainer(t) {
		u.whole(v)
		return
	}
	u.element(v)
}

// element follows a value that is an element or leads to one.
func (u *keepUse) element(v ssa.Value) {
	if !u.enter(v) {
		return
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Extract:
			if !isBool(ref.Type()) && !isError(ref.Type()) {
				u.element(ref)
			}
		case *ssa.UnOp, *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert,
			*ssa.Convert, *ssa.FieldAddr, *ssa.Field:
			u.element(ref.(ssa.Value))
		case *ssa.IndexAddr:
			if ref.X == v {
				u.element(ref)
			}
		case *ssa.Range, *ssa.Next:
			u.element(ref.(ssa.Value))
		case *ssa.Slice:
			u.element(ref) // variadic: Release(xs...)
		case *ssa.Store:
			if ref.Val == v {
				u.copied(ref)
			}
		case *ssa.Return:
			u.give(ref)
		case *ssa.Send:
			if ref.X == v {
				u.give(ref)
			}
		case *ssa.MakeClosure:
			for i, b := range ref.Bindings {
				if b == v {
					u.element(ref.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		case ssa.CallInstruction:
			u.elementCall(ref, v)
		}
	}
}

// copied follows an element into a local variable or a variadic call.
func (u *keepUse) copied(st *ssa.Store) {
	switch a := st.Addr.(type) {
	case *ssa.Alloc:
		u.element(a)
	case *ssa.IndexAddr:
		if al, ok := a.X.(*ssa.Alloc); ok {
			u.element(al)
		}
	}
}

// wholeCall judges a call that is given the container.
func (u *keepUse) wholeCall(in ssa.CallInstruction, v ssa.Value) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			if call, ok := in.(*ssa.Call); ok && len(c.Args) > 1 && c.Args[1] == v {
				// Its elements go into another slice.
				if to, ok := u.k.container(call); !ok || to.place != u.h.keepPlace {
					u.whole(call)
				}
			} else if ok {
				u.whole(call)
			}
		}
		return
	}
	if c.IsInvoke() {
		u.h.escapes = true
		return
	}
	fn := c.StaticCallee()
	if fn == nil {
		u.h.escapes = true
		return
	}
	obj := originFunc(fn)
	if obj == nil { // a literal: it sees the container itself
		for i, a := range c.Args {
			if a == v && i < len(fn.Params) {
				u.whole(fn.Params[i])
			}
		}
		return
	}
	if obj.Pkg() != nil && isStd(obj.Pkg().Path()) {
		if name := obj.Name(); name == "Values" || name == "All" || name == "Clone" || name == "Backward" || name == "Collect" {
			if call, ok := in.(*ssa.Call); ok {
				u.iterated(call)
			}
		}
		for _, a := range c.Args {
			if lit := keepLiteral(a); lit != nil {
				for _, p := range lit.Params {
					u.part(p) // slices.DeleteFunc(xs, func(x) bool)
				}
			}
		}
		return
	}
	if m := u.k.e.callModel(c); m != nil {
		if modelEnds(m) {
			u.release(in)
		}
		return
	}
	for i, a := range c.Args {
		if a != v {
			continue
		}
		if o := fn.Origin(); o != nil {
			fn = o
		}
		var eff effect
		switch {
		case u.k.e.local(fn):
			eff = u.k.e.localEffect(fn, i, "[]")
			u.whole(fn.Params[i])
		case u.k.e.fact(obj) != nil:
			eff = u.k.e.fact(obj).effect(i, "[]")
		case u.k.e.analyzed(obj.Pkg()):
			continue // it does nothing with them
		default:
			u.h.escapes = true
			continue
		}
		if (eff.OK|eff.Err)&bitReleased != 0 {
			u.release(in)
		} else if (eff.OK|eff.Err)&^bitLive != 0 {
			u.h.escapes = true
		}
	}
}

// iterated follows an iterator or a copy of the container: what a loop over it
// is given are the elements.
func (u *keepUse) iterated(call *ssa.Call) {
	if isContainer(call.Type()) {
		u.whole(call)
		return
	}
	if call.Referrers() == nil {
		return
	}
	for _, ref := range *call.Referrers() {
		c, ok := ref.(ssa.CallInstruction)
		if !ok {
			continue
		}
		for _, a := range c.Common().Args {
			if lit := keepLiteral(a); lit != nil {
				for _, p := range lit.Params {
					u.part(p)
				}
			}
		}
		if v, ok := ref.(*ssa.Call); ok && c.Common().Value != ssa.Value(call) {
			u.iterated(v)
		}
	}
}

// give notes that a function hands elements out.
func (u *keepUse) give(in ssa.Instruction) {
	if fn := top(in.Parent()); !slices.Contains(u.h.gives, fn) {
		u.h.gives = append(u.h.gives, fn)
	}
}

// callBack notes that a release is left to a func that the object was given.
func (u *keepUse) callBack(in ssa.CallInstruction) {
	if fn := top(in.Parent()); !slices.Contains(u.h.calledBack, fn) {
		u.h.calledBack = append(u.h.calledBack, fn)
	}
}

func (u *keepUse) release(in ssa.CallInstruction) {
	fn := top(in.Parent())
	if !slices.Contains(u.h.released, fn) {
		u.h.released = append(u.h.released, fn)
	}
}
