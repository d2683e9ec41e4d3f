// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A keepPlace is a variable that can outlive a call and hold things: a package
// variable, a field (of all objects of its type: they are not told apart), or
// a local variable that a function literal captured.
type keepPlace struct {
	obj  *types.Var
	cell *ssa.Alloc
}

// keepRef is one mention of a place.
type keepRef struct {
	place  keepPlace
	base   ssa.Value // the object whose field it is, or nil
	nested bool      // below an element: m[k] of a map of maps
}

// container finds the place that a slice, map, channel or list was loaded from.
//
//	t1 = &c.list [#0]
//	t2 = *t1
//	t3 = append(t2, x)     all three belong to the place (cache).list
func (k *keepScan) container(v ssa.Value) (keepRef, bool) {
	return k.containerOf(v, map[ssa.Value]bool{})
}

func (k *keepScan) containerOf(v ssa.Value, seen map[ssa.Value]bool) (keepRef, bool) {
	if v == nil || seen[v] || len(seen) > 40 {
		return keepRef{}, false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return k.addressOf(v.X, seen)
		}
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc:
		return k.addressOf(v, seen) // held by value: a sync.Map, an array
	case *ssa.Field:
		return k.field(v.X, v.Field)
	case *ssa.Phi:
		var got keepRef
		found := false
		for _, edge := range v.Edges {
			ref, ok := k.containerOf(edge, seen)
			if !ok {
				continue // nil, or around the loop
			}
			if found && ref.place != got.place {
				return keepRef{}, false // one of two
			}
			got, found = ref, true
		}
		return got, found
	case *ssa.Slice:
		return k.containerOf(v.X, seen)
	case *ssa.ChangeType:
		return k.containerOf(v.X, seen)
	case *ssa.MakeInterface:
		return k.containerOf(v.X, seen)
	case *ssa.Lookup:
		return nestedRef(k.containerOf(v.X, seen))
	case *ssa.Index:
		return nestedRef(k.containerOf(v.X, seen))
	case *ssa.Extract:
		if l, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 {
			return nestedRef(k.containerOf(l.X, seen))
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return k.containerOf(v.Call.Args[0], seen)
		}
		if name := stdCallee(&v.Call, "slices"); name != "" && len(v.Call.Args) > 0 {
			return k.containerOf(v.Call.Args[0], seen) // Insert, Delete, Grow and their kin
		}
	}
	return keepRef{}, false
}

func nestedRef(ref keepRef, ok bool) (keepRef, bool) {
	ref.nested = true
	return ref, ok
}

// address finds the place that an address denotes.
func (k *keepScan) address(a ssa.Value) (keepRef, bool) {
	return k.addressOf(a, map[ssa.Value]bool{})
}

func (k *keepScan) addressOf(a ssa.Value, seen map[ssa.Value]bool) (keepRef, bool) {
	switch a := a.(type) {
	case *ssa.FieldAddr:
		return k.field(a.X, a.Field)
	case *ssa.Global:
		if obj, ok := a.Object().(*types.Var); ok {
			return keepRef{place: keepPlace{obj: obj}}, true
		}
	case *ssa.IndexAddr:
		return nestedRef(k.containerOf(a.X, seen))
	case *ssa.UnOp:
		if a.Op == token.MUL {
			return k.addressOf(a.X, seen) // a pointer to the container is in the place
		}
	case *ssa.Alloc:
		if k.captured(a) {
			return keepRef{place: keepPlace{cell: a}}, true
		}
	case *ssa.FreeVar:
		if b := k.binding(a); b != nil {
			return k.addressOf(b, seen)
		}
	}
	return keepRef{}, false
}

func (k *keepScan) field(x ssa.Value, i int) (keepRef, bool) {
	if f := fieldVar(x.Type(), i); f != nil {
		return keepRef{place: keepPlace{obj: f}, base: x}, true
	}
	return keepRef{}, false
}

// fieldVar is the declared field; all instances of a generic type share it.
func fieldVar(t types.Type, i int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || i >= st.NumFields() {
		return nil
	}
	return st.Field(i).Origin()
}

// captured reports whether a function literal uses a local variable.
func (k *keepScan) captured(a *ssa.Alloc) bool {
	if !a.Heap {
		return false
	}
	for _, ref := range *a.Referrers() {
		if _, ok := ref.(*ssa.MakeClosure); ok {
			return true
		}
	}
	return false
}

// binding is what the literal that declares fv was given for it.
func (k *keepScan) binding(fv *ssa.FreeVar) ssa.Value {
	fn := fv.Parent()
	mc := k.closure(fn)
	if mc == nil {
		return nil
	}
	for i, x := range fn.FreeVars {
		if x == fv && i < len(mc.Bindings) {
			return mc.Bindings[i]
		}
	}
	return nil
}

// closure is the instruction that makes a literal.
func (k *keepScan) closure(fn *ssa.Function) *ssa.MakeClosure {
	if mc, ok := k.closures[fn]; ok {
		return mc
	}
	var found *ssa.MakeClosure
	if p := fn.Parent(); p != nil {
		for _, b := range p.Blocks {
			for _, in := range b.Instrs {
				if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == fn {
					found = mc
				}
			}
		}
	}
	k.closures[fn] = found
	return found
}

// origin follows v to the parameter, variable, call or allocation that it
// stands for, through captured variables and fields held by value.
func (k *keepScan) origin(v ssa.Value) ssa.Value {
	for i := 0; i < 12; i++ {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			switch a := x.X.(type) {
			case *ssa.Alloc:
				s := keepStore(a)
				if s == nil {
					return v
				}
				v = s.Val
			case *ssa.FreeVar:
				b, ok := k.binding(a).(*ssa.Alloc)
				if !ok {
					return v
				}
				s := keepStore(b)
				if s == nil {
					return v
				}
				v = s.Val
			default:
				return v
			}
		case *ssa.FreeVar:
			b := k.binding(x)
			if b == nil {
				return v
			}
			v = b
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.Extract:
			switch t := x.Tuple.(type) {
			case *ssa.TypeAssert:
				v = t.X
				continue
			}
			return v
		default:
			return v
		}
	}
	return v
}

// keepStore is the one assignment to a local variable, or nil.
func keepStore(a *ssa.Alloc) *ssa.Store {
	var found *ssa.Store
	for _, ref := range *a.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == a {
			if found != nil {
				return nil
			}
			found = st
		}
	}
	return found
}

// stdCallee is the name of a called function of a standard package, methods
// included ("List.Remove"), or "".
func stdCallee(c *ssa.CallCommon, pkg string) string {
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != pkg {
		return ""
	}
	if recv := obj.Signature().Recv(); recv != nil {
		return typeBase(recv.Type()) + "." + obj.Name()
	}
	return obj.Name()
}
