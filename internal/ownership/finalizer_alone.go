// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

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
