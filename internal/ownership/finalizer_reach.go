// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// backtrack asks whether values lead to one object, as far as the function
// that made them shows: by what is stored where, in any order.
type backtrack struct {
	same map[ssa.Value]bool // the object, and variables that hold it
	seen map[ssa.Value]bool
}

func newBacktrack(obj ssa.Value) *backtrack {
	b := &backtrack{same: map[ssa.Value]bool{obj: true}, seen: map[ssa.Value]bool{}}
	if load, ok := obj.(*ssa.UnOp); ok && load.Op == token.MUL {
		switch load.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			b.same[load.X] = true // a variable that a literal shares
		}
	}
	if obj.Referrers() != nil {
		for _, ref := range *obj.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Val == obj {
				if cell, ok := st.Addr.(*ssa.Alloc); ok {
					b.same[cell] = true
				}
			}
		}
	}
	return b
}

// leads reports whether what v points at, or holds, leads to the object.
func (b *backtrack) leads(v ssa.Value, depth int) bool {
	if b.same[v] {
		return true
	}
	if b.seen[v] || depth > 8 {
		return false
	}
	b.seen[v] = true
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return b.leads(v.X, depth+1)
	case *ssa.ChangeType:
		return b.leads(v.X, depth+1)
	case *ssa.ChangeInterface:
		return b.leads(v.X, depth+1)
	case *ssa.Convert:
		if n, ok := v.Type().Underlying().(*types.Basic); ok && n.Kind() == types.Uintptr {
			return false // an address as a number keeps nothing alive
		}
		return b.leads(v.X, depth+1)
	case *ssa.MakeClosure:
		for _, x := range v.Bindings {
			if b.leads(x, depth+1) {
				return true
			}
		}
	case *ssa.FieldAddr:
		return b.leads(v.X, depth+1) || b.storedIn(v, depth) // an interior pointer
	case *ssa.IndexAddr:
		return b.leads(v.X, depth+1)
	case *ssa.Slice:
		return b.leads(v.X, depth+1)
	case *ssa.Alloc:
		return b.storedIn(v, depth)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return b.loaded(v, depth)
		}
	case *ssa.Phi:
		for _, x := range v.Edges {
			if b.leads(x, depth+1) {
				return true
			}
		}
	}
	return false
}

// storedIn reports whether something that leads to the object is stored at an
// address or below it.
func (b *backtrack) storedIn(addr ssa.Value, depth int) bool {
	if depth > 8 || addr.Referrers() == nil {
		return false
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr && b.leads(ref.Val, depth+1) {
				return true
			}
		case *ssa.FieldAddr:
			if ref.X == addr && !b.seen[ref] && b.storedIn(ref, depth+1) {
				return true
			}
		case *ssa.IndexAddr:
			if ref.X == addr && b.storedIn(ref, depth+1) {
				return true
			}
		}
	}
	return false
}

// loaded follows a load: a variable's content, or what was put into the same
// field of the same object.
func (b *backtrack) loaded(load *ssa.UnOp, depth int) bool {
	switch x := load.X.(type) {
	case *ssa.Alloc:
		return b.storedIn(x, depth+1)
	case *ssa.FieldAddr:
		if x.X.Referrers() == nil {
			return false
		}
		for _, ref := range *x.X.Referrers() {
			if other, ok := ref.(*ssa.FieldAddr); ok && other.Field == x.Field && b.holdsBack(other, depth) {
				return true
			}
		}
	}
	return false
}

// holdsBack reports whether the object that was put into a field points back:
//
//	h := &handle{owner: v}
//	v.h = h
func (b *backtrack) holdsBack(fa *ssa.FieldAddr, depth int) bool {
	for _, ref := range *fa.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == fa && b.leads(st.Val, depth+1) {
			return true
		}
	}
	return false
}
