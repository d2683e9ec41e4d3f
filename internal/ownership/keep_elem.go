// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// keepElem is what the elements of a container hold, by their type.
type keepElem struct {
	class Class
	path  string // below the element: ".tensor"
	raw   bool   // a bare pointer or number: only a resource if one was put in
	open  bool   // an interface or type parameter: the value put in decides
}

// elem classifies an element type. It reports false for what cannot hold a
// resource at all: numbers, strings, host memory, weak pointers.
func (k *keepScan) elem(t types.Type) (keepElem, bool) {
	if t == nil {
		return keepElem{}, false // a container of the standard library: what is put in decides
	}
	if got, ok := k.elems[t]; ok {
		return got, got.raw || got.open || got.class.Name != ""
	}
	k.elems[t] = keepElem{} // recursive types
	got := k.classify(t, 0)
	k.elems[t] = got
	return got, got.raw || got.open || got.class.Name != ""
}

func (k *keepScan) classify(t types.Type, depth int) keepElem {
	if depth > 3 || isError(t) {
		return keepElem{}
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok && tp != nil {
		return keepElem{open: true}
	}
	named := namedOf(t)
	if named != nil {
		if m := k.e.models.Type(named.Obj()); m != nil && m.Class != nil {
			return k.modelled(m)
		}
		if isStd(named.Obj().Pkg().Path()) && named.Obj().Pkg() != k.e.pass.Pkg {
			return keepElem{} // files, locks, weak pointers: not device memory
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return keepElem{raw: true}
		}
		if _, isNamed := types.Unalias(t).(*types.Named); isNamed && (u.Kind() == types.Uint64 || u.Kind() == types.Int64 || u.Kind() == types.Uintptr) {
			return keepElem{raw: true} // CUdeviceptr
		}
		return keepElem{}
	case *types.Interface:
		if rel := releaseOfInterface(u); rel != "" && named != nil {
			return keepElem{class: ownerClass(named, []string{rel})}
		}
		return keepElem{open: true}
	case *types.Pointer:
		if isBasicPointer(u) {
			return keepElem{raw: true}
		}
		if _, isPtr := u.Elem().Underlying().(*types.Pointer); isPtr {
			return keepElem{}
		}
	case *types.Slice:
		return k.classify(u.Elem(), depth+1)
	case *types.Map:
		return k.classify(u.Elem(), depth+1)
	case *types.Array:
		return k.classify(u.Elem(), depth+1)
	case *types.Chan:
		return k.classify(u.Elem(), depth+1)
	case *types.Signature:
		return keepElem{}
	}
	if named != nil {
		var rel []string
		for _, name := range k.e.releasers(named, "") {
			if releaseNames[name] {
				rel = append(rel, name)
			}
		}
		if len(rel) > 0 {
			return keepElem{class: ownerClass(named, rel)}
		}
	}
	if named != nil && named.Obj().Pkg() != k.e.pass.Pkg && !(k.anything && named.TypeArgs().Len() > 0) {
		return k.releaseModel(named) // what is inside is not this package's to release
	}
	return k.fields(t, depth)
}

// releaseModel is the class of a type that is only known by the model of its
// release method.
func (k *keepScan) releaseModel(named *types.Named) keepElem {
	for i := 0; i < named.NumMethods(); i++ {
		m := k.e.model(named.Method(i))
		if m == nil {
			continue
		}
		for _, eff := range m.Effects {
			if eff.Op == rules.OpRelease && eff.Place.Kind == rules.PlaceRecv && eff.Class != nil && len(eff.Place.Path) == 0 {
				return k.modelled(&rules.Type{Class: eff.Class, Releases: []string{named.Method(i).Name()}})
			}
		}
	}
	return keepElem{}
}

// modelled takes what a model says about a handle's type. A class that the
// collector frees is kept alive by a container just the same; one whose
// release is a formality is not.
func (k *keepScan) modelled(m *rules.Type) keepElem {
	c := k.e.models.ClassByName(m.Class.Name)
	if c == nil {
		c = m.Class
	}
	if c.Optional && (c.Mem != rules.MemDevice || c.Backstop == rules.BackstopNone) {
		return keepElem{}
	}
	return keepElem{class: classOf(c, m.Releases)}
}

// fields looks for a handle in the fields of a struct: an entry of a cache.
func (k *keepScan) fields(t types.Type, depth int) keepElem {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return keepElem{}
	}
	best := keepElem{}
	for i := 0; i < st.NumFields(); i++ {
		f := st.Field(i)
		got := k.classify(f.Type(), depth+1)
		switch {
		case got.class.Name != "":
			got.path = "." + f.Name() + got.path
			return got
		case (got.raw || got.open) && !best.raw:
			got.path = "." + f.Name() + got.path
			if got.raw || !best.open {
				best = got
			}
		}
	}
	if named := namedOf(t); best.open && !k.anything && named != nil && named.TypeArgs().Len() == 0 && named.TypeParams().Len() == 0 {
		return keepElem{} // a field of some interface type says nothing
	}
	return best
}

func releaseOfInterface(u *types.Interface) string {
	for i := 0; i < u.NumMethods(); i++ {
		if releaseNames[u.Method(i).Name()] {
			return u.Method(i).Name()
		}
	}
	return ""
}

func ownerClass(named *types.Named, rel []string) Class {
	return Class{
		Name: "owner:" + named.Obj().Pkg().Path() + "." + named.Obj().Name(),
		Noun: named.Obj().Name(), Verb: participle(rel[0]), Releases: rel, Owner: true,
	}
}

// keepSource is where a value that is put into a container comes from.
type keepSource uint8

const (
	fromUnknown  keepSource = iota // a call that nobody modelled, or several
	fromAcquire                    // acquired in this function
	fromParam                      // handed in
	fromPlace                      // taken out of another container or object
	fromConstant                   // nil
)

// keepValue describes a value that is put into a container.
type keepValue struct {
	source keepSource
	class  Class     // of what was acquired
	call   *ssa.Call // that acquired it
	name   string    // as the user writes it
	param  *ssa.Parameter
	handle ssa.Value // the handle itself, out of the struct that is stored
}

// value follows what is stored back to its source, through the literal of a
// struct that holds the handle.
func (k *keepScan) value(v ssa.Value) keepValue {
	return k.valueOf(v, map[ssa.Value]bool{})
}

func (k *keepScan) valueOf(v ssa.Value, seen map[ssa.Value]bool) keepValue {
	if seen[v] || len(seen) > 30 {
		return keepValue{}
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
		return keepValue{source: fromConstant}
	case *ssa.MakeInterface:
		return k.valueOf(x.X, seen)
	case *ssa.ChangeType:
		return k.valueOf(x.X, seen)
	case *ssa.ChangeInterface:
		return k.valueOf(x.X, seen)
	case *ssa.Convert:
		return k.valueOf(x.X, seen)
	case *ssa.TypeAssert:
		return k.valueOf(x.X, seen)
	case *ssa.Parameter:
		return keepValue{source: fromParam, param: x, handle: x}
	case *ssa.Phi:
		var best keepValue
		for _, edge := range x.Edges {
			got := k.valueOf(edge, seen)
			if got.source == fromConstant {
				continue
			}
			if best.handle == nil || got.source == fromAcquire {
				best = got
			}
		}
		return best
	case *ssa.Extract:
		switch t := x.Tuple.(type) {
		case *ssa.Call:
			return k.result(t, x.Index, v)
		case *ssa.TypeAssert:
			return k.valueOf(t.X, seen)
		}
		return keepValue{source: fromPlace, handle: v}
	case *ssa.Call:
		return k.result(x, 0, v)
	case *ssa.Alloc:
		return k.stored(x, seen)
	case *ssa.FreeVar:
		if b := k.binding(x); b != nil {
			return k.valueOf(b, seen)
		}
	case *ssa.UnOp:
		switch a := x.X.(type) {
		case *ssa.Alloc:
			return k.stored(a, seen)
		case *ssa.FreeVar:
			if b, ok := k.binding(a).(*ssa.Alloc); ok {
				return k.stored(b, seen)
			}
		}
		return keepValue{source: fromPlace, handle: v}
	case *ssa.Field, *ssa.Lookup, *ssa.Index, *ssa.FieldAddr, *ssa.IndexAddr:
		return keepValue{source: fromPlace, handle: v}
	}
	return keepValue{handle: v}
}

// result says what a call's result i is.
func (k *keepScan) result(call *ssa.Call, i int, v ssa.Value) keepValue {
	for _, a := range k.e.acquisitions(&call.Call) {
		if a.result == i && !a.isFunc {
			return keepValue{source: fromAcquire, class: a.class, call: call, name: k.e.sourceName(call), handle: v}
		}
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		return keepValue{source: fromPlace, handle: v}
	}
	return keepValue{handle: v}
}

// stored looks at what was assigned to a local variable or to the fields of a
// literal, and at the call that filled it through its address.
//
//	t0 = new entry (complit)
//	t1 = &t0.tensor [#0]
//	*t1 = t9
func (k *keepScan) stored(a *ssa.Alloc, seen map[ssa.Value]bool) keepValue {
	var best keepValue
	consider := func(got keepValue) {
		if got.handle == nil || best.source == fromAcquire {
			return
		}
		if best.handle == nil || got.source == fromAcquire || got.source == fromParam {
			best = got
		}
	}
	for _, sr := range k.outSites(a) {
		return keepValue{source: fromAcquire, class: sr.acq.class, call: sr.call, name: sr.name, handle: a}
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == a {
				consider(k.valueOf(ref.Val, seen))
			}
		case *ssa.FieldAddr:
			for _, r := range *ref.Referrers() {
				st, ok := r.(*ssa.Store)
				if !ok || st.Addr != ref {
					continue
				}
				if _, holds := k.elem(st.Val.Type()); holds {
					consider(k.valueOf(st.Val, seen))
				}
			}
		}
	}
	return best
}

// outSites are the acquisitions that fill a local variable through its address.
func (k *keepScan) outSites(a *ssa.Alloc) []*site {
	var found []*site
	for _, st := range k.sitesOf(top(a.Parent())) {
		if st.acq.param < 0 || st.acq.param >= len(st.call.Call.Args) {
			continue
		}
		if k.pointsTo(st.call.Call.Args[st.acq.param], a) {
			found = append(found, st)
		}
	}
	return found
}

// pointsTo reports whether v is the address of a, also inside a literal of
// cgo's: C.cudaMalloc(&p, n) evaluates &p into a variable there.
func (k *keepScan) pointsTo(v ssa.Value, a *ssa.Alloc) bool {
	for i := 0; i < 8; i++ {
		if v == a {
			return true
		}
		switch x := v.(type) {
		case *ssa.Convert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			cell, ok := x.X.(*ssa.Alloc)
			if !ok {
				return false
			}
			s := keepStore(cell)
			if s == nil {
				return false
			}
			v = s.Val
		case *ssa.FreeVar:
			v = k.binding(x)
		default:
			return false
		}
	}
	return false
}

func (k *keepScan) sitesOf(fn *ssa.Function) []*site {
	a := k.e.analyze(fn)
	if a == nil {
		return nil
	}
	var list []*site
	for _, sr := range a.sites {
		list = append(list, sr.site)
	}
	return list
}

// madeType is the type that a value had before it became an interface.
func madeType(v ssa.Value) types.Type {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v.Type()
		}
	}
}
