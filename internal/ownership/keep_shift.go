// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// shifts reports whether a cut only closes the gap that an element leaves which
// was taken out before: the last place holds nothing of its own.
//
//	s := c.list[i]
//	copy(c.list[i:], c.list[i+1:])
//	c.list = c.list[:len(c.list)-1]
//	return s
func (k *keepScan) shifts(ev *keepEvent) bool {
	if ev.what != "the cut" {
		return false
	}
	for _, b := range ev.fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			fn, ok := call.Call.Value.(*ssa.Builtin)
			if !ok || fn.Name() != "copy" {
				continue
			}
			to, ok := k.container(call.Call.Args[0])
			from, also := k.container(call.Call.Args[1])
			if ok && also && to.place == ev.ref.place && from.place == ev.ref.place {
				return true
			}
		}
	}
	return false
}

// countsUp reports whether an index is a counter that the function raises and
// never sets back.
//
//	t.msgs[t.n] = m
//	t.n++
func countsUp(fn *ssa.Function, index ssa.Value) bool {
	for {
		c, ok := index.(*ssa.Convert)
		if !ok {
			break
		}
		index = c.X
	}
	load, ok := index.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	raised := false
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok || fa.Field != field.Field || !types.Identical(fa.X.Type(), field.X.Type()) {
				continue
			}
			sum, ok := st.Val.(*ssa.BinOp)
			if !ok || sum.Op != token.ADD {
				return false // set back, or wrapped around
			}
			raised = true
		}
	}
	return raised
}
