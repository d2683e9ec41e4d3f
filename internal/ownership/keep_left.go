// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// leftRunning: a constructor starts the goroutine of the object that it makes,
// and fails without stopping it.
//
//	c := &conn{ch: make(chan job)}
//	go c.loop()                        ends when c.ch is closed
//	if err := c.init(); err != nil {
//		return nil, err                nobody closes it
//	}
func (k *keepScan) leftRunning(sp *spawned, v *Verdict) bool {
	stops := k.stopPlaces(sp.body)
	if len(stops) == 0 {
		return false
	}
	fresh := false
	for _, a := range append(append([]ssa.Value(nil), sp.at.Call.Args...), bindings(sp.at.Call.Value)...) {
		fresh = fresh || k.fresh(a)
	}
	if !fresh {
		return false // somebody else's object
	}
	ret := k.failingReturn(sp.at, func(in ssa.Instruction) bool {
		call, ok := in.(ssa.CallInstruction)
		return ok && k.stopsAny(call, stops, 0)
	})
	if ret == nil {
		return false
	}
	v.Pos, v.Acquired = exitPos(ret), sp.at.Pos()
	v.Detail = fmt.Sprintf("goroutine started at line %d holds %s and is left running when this fails: stop it before returning",
		k.e.pass.Fset.Position(sp.at.Pos()).Line, sp.hold)
	return true
}

func bindings(v ssa.Value) []ssa.Value {
	if mc, ok := v.(*ssa.MakeClosure); ok {
		return mc.Bindings
	}
	return nil
}

// stopPlaces are the fields whose channels end a function: it ranges over one,
// or returns in the case of a select.
func (k *keepScan) stopPlaces(fn *ssa.Function) []keepPlace {
	var list []keepPlace
	add := func(v ssa.Value) {
		if ref, ok := k.container(v); ok && ref.place.obj != nil && ref.place.obj.IsField() && !slices.Contains(list, ref.place) {
			list = append(list, ref.place)
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.UnOp:
				if in.Op == token.ARROW && in.CommaOk {
					add(in.X)
				}
			case *ssa.Select:
				for _, st := range in.States {
					if st.Send == nil {
						add(st.Chan)
					}
				}
			}
		}
	}
	return list
}

// stopsAny reports whether a call closes or sends on one of the channels, or
// calls a function of this package that does. Anything that may hand the object
// on counts, too.
func (k *keepScan) stopsAny(call ssa.CallInstruction, places []keepPlace, depth int) bool {
	c := call.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if b.Name() != "close" {
			return false
		}
		ref, ok := k.container(c.Args[0])
		return ok && slices.Contains(places, ref.place)
	}
	fn := k.bodyOf(c)
	if fn == nil || depth > 3 {
		return false
	}
	for _, f := range andLiterals(fn) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Send:
					if ref, ok := k.container(in.Chan); ok && slices.Contains(places, ref.place) {
						return strings.Contains(fn.Name(), "lose") || strings.Contains(fn.Name(), "top") || isDone(in.Chan)
					}
				case ssa.CallInstruction:
					if k.stopsAny(in, places, depth+1) {
						return true
					}
				}
			}
		}
	}
	return false
}

// failingReturn finds a return of a failure that stop does not cover: the
// last result is an error other than nil, the others are nothing.
func (k *keepScan) failingReturn(from ssa.Instruction, stop func(ssa.Instruction) bool) *ssa.Return {
	seen := map[*ssa.BasicBlock]bool{}
	var found *ssa.Return
	var visit func(b *ssa.BasicBlock, start int)
	visit = func(b *ssa.BasicBlock, start int) {
		if found != nil || start == 0 && seen[b] {
			return
		}
		seen[b] = seen[b] || start == 0
		for _, in := range b.Instrs[start:] {
			if stop(in) {
				return
			}
			if ret, ok := in.(*ssa.Return); ok {
				if n := len(ret.Results); n > 1 && isError(ret.Results[n-1].Type()) && isNothing(ret.Results[:n-1]) {
					if c, isConst := ret.Results[n-1].(*ssa.Const); !isConst || c.Value != nil {
						found = ret
					}
				}
				return
			}
		}
		for _, s := range b.Succs {
			visit(s, 0)
		}
	}
	for i, in := range from.Block().Instrs {
		if in == from {
			visit(from.Block(), i+1)
		}
	}
	return found
}

func isNothing(vals []ssa.Value) bool {
	for _, v := range vals {
		c, ok := v.(*ssa.Const)
		if !ok || c.Value != nil {
			return false
		}
	}
	return true
}
