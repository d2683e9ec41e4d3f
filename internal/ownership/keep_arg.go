// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// arg is the argument of fn that an object belongs to, or -1: the receiver of
// c.inner.m, of c.shards[i], of c.shard(key).
func (o *keepOps) arg(fn *ssa.Function, v ssa.Value, depth int) int {
	if v == nil || depth > 12 {
		return -1
	}
	switch x := v.(type) {
	case *ssa.Parameter:
		return slices.Index(fn.Params, x)
	case *ssa.FreeVar:
		return o.arg(fn, o.k.binding(x), depth+1)
	case *ssa.Alloc:
		if s := keepStore(x); s != nil {
			return o.arg(fn, s.Val, depth+1)
		}
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return o.arg(fn, x.X, depth+1)
		}
	case *ssa.FieldAddr:
		return o.arg(fn, x.X, depth+1)
	case *ssa.Field:
		return o.arg(fn, x.X, depth+1)
	case *ssa.IndexAddr:
		return o.arg(fn, x.X, depth+1)
	case *ssa.Lookup:
		return o.arg(fn, x.X, depth+1)
	case *ssa.Extract:
		return o.arg(fn, x.Tuple, depth+1)
	case *ssa.Next:
		return o.arg(fn, x.Iter, depth+1)
	case *ssa.Range:
		return o.arg(fn, x.X, depth+1)
	case *ssa.ChangeType:
		return o.arg(fn, x.X, depth+1)
	case *ssa.Phi:
		for _, e := range x.Edges {
			if i := o.arg(fn, e, depth+2); i >= 0 {
				return i
			}
		}
	case *ssa.Call:
		if callee := x.Call.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(x.Call.Args) > 0 {
			return o.arg(fn, x.Call.Args[0], depth+1) // the shard of a key
		}
	}
	return -1
}

func argIndex(fn *ssa.Function, v ssa.Value) int {
	for i := 0; i < 6; i++ {
		switch x := v.(type) {
		case *ssa.Parameter:
			return slices.Index(fn.Params, x)
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.UnOp:
			a, ok := x.X.(*ssa.Alloc)
			if !ok {
				return -1
			}
			s := keepStore(a)
			if s == nil {
				return -1
			}
			v = s.Val
		default:
			return -1
		}
	}
	return -1
}

// params lists the arguments of fn that a value is or holds: m[k] = v, or an
// entry that was made of them, by a literal or a constructor.
func (o *keepOps) params(fn *ssa.Function, v ssa.Value) []int {
	found := map[int]bool{}
	o.paramsOf(fn, v, found, map[ssa.Value]bool{})
	var list []int
	for i := range fn.Params {
		if found[i] {
			list = append(list, i)
		}
	}
	return list
}

func (o *keepOps) paramsOf(fn *ssa.Function, v ssa.Value, found map[int]bool, seen map[ssa.Value]bool) {
	if v == nil || seen[v] || len(seen) > 40 {
		return
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.Parameter:
		if i := slices.Index(fn.Params, x); i >= 0 && o.k.holds(x) {
			found[i] = true
		}
	case *ssa.MakeInterface:
		o.paramsOf(fn, x.X, found, seen)
	case *ssa.ChangeType:
		o.paramsOf(fn, x.X, found, seen)
	case *ssa.ChangeInterface:
		o.paramsOf(fn, x.X, found, seen)
	case *ssa.TypeAssert:
		o.paramsOf(fn, x.X, found, seen)
	case *ssa.Phi:
		for _, e := range x.Edges {
			o.paramsOf(fn, e, found, seen)
		}
	case *ssa.FreeVar:
		o.paramsOf(fn, o.k.binding(x), found, seen)
	case *ssa.UnOp:
		if x.Op == token.MUL {
			switch x.X.(type) {
			case *ssa.Alloc, *ssa.FreeVar:
				o.paramsOf(fn, x.X, found, seen)
			}
		}
	case *ssa.Alloc:
		for _, ref := range *x.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Addr == x {
					o.paramsOf(fn, ref.Val, found, seen)
				}
			case *ssa.FieldAddr:
				for _, r := range *ref.Referrers() {
					if st, ok := r.(*ssa.Store); ok && st.Addr == ref {
						o.paramsOf(fn, st.Val, found, seen)
					}
				}
			}
		}
	case *ssa.Extract:
		o.paramsOf(fn, x.Tuple, found, seen)
	case *ssa.Call:
		// ent := list.PushFront(key, value): what it makes has room for them.
		for _, a := range x.Call.Args {
			if hasRoom(x.Type(), a.Type()) {
				o.paramsOf(fn, a, found, seen)
			}
		}
	}
}

// hasRoom reports whether a struct, or a pointer to one, has a field of type t.
func hasRoom(in, t types.Type) bool {
	st, ok := deref(in).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if types.Identical(st.Field(i).Type(), t) {
			return true
		}
	}
	return false
}
