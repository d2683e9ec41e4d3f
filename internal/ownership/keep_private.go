// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// private looks at every mention of the variables that hold containers of other
// packages. Only if nobody else can have the object does what this package
// calls say everything about it:
//
//	s.cache = store.New()      made for this variable alone
//	s.cache.Put(id, b)         and used for its methods only
//
// An object that came from elsewhere, or goes elsewhere, may be emptied there.
// One that is replaced is emptied here. One that was given a func may release
// through it.
func (k *keepScan) private() {
	made := map[*held]bool{}
	any := false
	for _, h := range k.order {
		any = any || h.beyond
	}
	if !any {
		return // the common case
	}
	fns := k.e.funcs
	if init := k.e.pkg.Func("init"); init != nil {
		fns = append(fns[:len(fns):len(fns)], init) // package variables get their objects there
	}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.UnOp:
					if h := k.mention(in.X); h != nil && in.Op == token.MUL {
						k.borrowed(h, in)
					}
				case *ssa.FieldAddr:
					if h := k.mention(in); h != nil && !isRef(elem(in.Type())) {
						k.borrowed(h, in) // held by value
						made[h] = true
					}
				case *ssa.Store:
					if h := k.mention(in.Addr); h != nil {
						made[h] = true
						k.installed(h, fn, in)
					}
				}
			}
		}
	}
	for _, h := range k.order {
		if !h.beyond || made[h] {
			continue
		}
		if h.obj != nil && !isRef(h.obj.Type()) || h.cell != nil && !isRef(elem(h.cell.Type())) {
			continue // a variable that is the object
		}
		h.escapes = true // nobody here has made it
	}
}

func isRef(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// mention is the container of another package that lies at an address.
func (k *keepScan) mention(addr ssa.Value) *held {
	switch addr.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc:
	default:
		return nil
	}
	ref, ok := k.address(addr)
	if !ok {
		return nil
	}
	if h := k.held[ref.place]; h != nil && h.beyond {
		return h
	}
	return nil
}

// borrowed looks at the uses of the object: calls of its methods keep it where
// it is, everything else lets somebody have it.
func (k *keepScan) borrowed(h *held, v ssa.Value) {
	if v.Referrers() == nil {
		return
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.UnOp:
			if _, byValue := v.(*ssa.FieldAddr); !byValue {
				h.escapes = true // a copy of the whole object
			}
		case *ssa.Store:
			if ref.Addr != v {
				h.escapes = true
			}
		case *ssa.FieldAddr:
			if f := fieldVar(ref.X.Type(), ref.Field); f == nil || !f.Embedded() || f.Pkg() == k.e.pass.Pkg {
				h.escapes = true
				continue
			}
			for _, r := range *ref.Referrers() {
				if load, ok := r.(*ssa.UnOp); ok {
					k.borrowed(h, load)
				} else if call, ok := r.(ssa.CallInstruction); ok {
					k.methodOn(h, call, ref)
				} else {
					h.escapes = true
				}
			}
		case ssa.CallInstruction:
			k.methodOn(h, ref, v)
		default:
			h.escapes = true
		}
	}
}

// methodOn looks at a call that is given the object.
func (k *keepScan) methodOn(h *held, call ssa.CallInstruction, v ssa.Value) {
	c := call.Common()
	callee := c.StaticCallee()
	if callee == nil || callee.Signature.Recv() == nil || len(c.Args) == 0 || c.Args[0] != v {
		h.escapes = true
		return
	}
	f := k.keepFact(originFunc(callee))
	for i, a := range c.Args[1:] {
		if a == v {
			h.escapes = true
		}
		if isFunc(a.Type()) && !givenElements(f, i+1) {
			h.hooked = true // SetOnEvict(func(...) {...})
		}
	}
}

func givenElements(f *KeepFact, arg int) bool {
	if f == nil {
		return false
	}
	for _, op := range f.Ops {
		if op.Func == arg {
			return true
		}
	}
	return false
}

// installed looks at an object that becomes the container.
func (k *keepScan) installed(h *held, fn *ssa.Function, in *ssa.Store) {
	ref, _ := k.address(in.Addr)
	if c, ok := in.Val.(*ssa.Const); ok && c.Value == nil && k.setsUp(fn) {
		return
	}
	if !k.setsUp(fn) && !k.beginning(fn, in, ref) {
		k.event(&keepEvent{op: keepClear, ref: ref, fn: fn, at: in, what: "the assignment", quiet: true})
	}
	call, ok := in.Val.(*ssa.Call)
	if x, isExtract := in.Val.(*ssa.Extract); isExtract {
		call, ok = x.Tuple.(*ssa.Call)
	}
	if !ok {
		if a, isAlloc := in.Val.(*ssa.Alloc); isAlloc {
			k.inPlace(h, a, in)
			return
		}
		h.escapes = h.escapes || !isNilConst(in.Val) // came from elsewhere
		return
	}
	if !k.makes(h, call, 0) {
		h.escapes = true // a registry's, or found by a function that may know it from before
		return
	}
	k.alone(h, in.Val, in)
}

// makerWords begin the names of functions whose result nobody else has.
var makerWords = []string{"new", "make", "must", "create", "build", "construct", "init", "open"}

// makes reports whether a call makes a new object, and notes the funcs that it
// is given. In must(store.New(8)) the inner call decides as well.
func (k *keepScan) makes(h *held, call *ssa.Call, depth int) bool {
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Signature.Recv() != nil || depth > 3 {
		return false
	}
	words := nameWords(callee.Name())
	if org := callee.Origin(); org != nil {
		words = nameWords(org.Name()) // New, not New[int]
	}
	if len(words) == 0 || !slices.Contains(makerWords, words[0]) {
		return false
	}
	if k.e.local(callee) {
		h.hooked = true // what it hands on is not looked at
	}
	for _, a := range call.Call.Args {
		h.sized = h.sized || isLimit(a)
		if (isFunc(a.Type()) || types.IsInterface(a.Type())) && !isNilConst(a) {
			h.hooked = true // a func, or somebody with methods
		}
		if _, isSlice := a.Type().Underlying().(*types.Slice); isSlice && !isNilConst(a) {
			h.hooked = true // options
		}
		if st, isStruct := deref(a.Type()).Underlying().(*types.Struct); isStruct && hasFunc(st) {
			h.hooked = true // a configuration with a func in it
		}
		if x, isExtract := a.(*ssa.Extract); isExtract {
			a = x.Tuple
		}
		if inner, isCall := a.(*ssa.Call); isCall && !isBasic(inner.Type()) && !k.makes(h, inner, depth+1) {
			return false
		}
	}
	return true
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// inPlace looks at an object that is made in place: &store.Cache{OnEvict: f}.
func (k *keepScan) inPlace(h *held, a *ssa.Alloc, in *ssa.Store) {
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if isFunc(elem(ref.Type())) {
				h.hooked = true
			}
		case *ssa.Store:
			if ref != in && ref.Addr != a {
				h.escapes = true
			}
		case *ssa.DebugRef:
		default:
			if !k.called(ref, a) {
				h.escapes = true
			}
		}
	}
}

// alone looks for other uses of an object that was made for a variable.
func (k *keepScan) alone(h *held, v ssa.Value, in *ssa.Store) {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.Store:
			if ref != in {
				h.escapes = true
			}
		default:
			if !k.called(ref, v) {
				h.escapes = true
			}
			if call, ok := ref.(ssa.CallInstruction); ok {
				k.methodOn(h, call, v)
			}
		}
	}
}

// called reports whether an instruction calls a method of v.
func (k *keepScan) called(in ssa.Instruction, v ssa.Value) bool {
	call, ok := in.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	callee := c.StaticCallee()
	return callee != nil && callee.Signature.Recv() != nil && len(c.Args) > 0 && c.Args[0] == v
}

// setsUp reports whether a function runs before the object is used.
func (k *keepScan) setsUp(fn *ssa.Function) bool {
	if fn == k.e.pkg.Func("init") {
		return true
	}
	times, _ := k.oftenRun(fn, 0)
	return times == againNever
}

func hasFunc(st *types.Struct) bool {
	for i := range st.NumFields() {
		if isFunc(st.Field(i).Type()) {
			return true
		}
	}
	return false
}

// isLimit reports whether an argument can be a size or a time: a number that is
// not known to be 0 or less, by which such functions mean "no limit".
func isLimit(v ssa.Value) bool {
	if !isInt(v) {
		return false
	}
	c, ok := v.(*ssa.Const)
	return !ok || c.Value != nil && constant.Sign(c.Value) > 0
}
