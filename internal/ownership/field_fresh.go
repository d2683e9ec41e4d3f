// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// onlyOnFresh reports whether every call of an unexported function gives it, as
// argument i, a new object of the caller's, once: a step of a constructor.
//
//	h := &handle{}
//	h.conf.fill(path)
func (e *engine) onlyOnFresh(fn *ssa.Function, i int) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Exported() || fn.Parent() != nil {
		return false // others may call it
	}
	calls := 0
	for _, g := range e.funcs {
		seen := map[ssa.Value]bool{}
		for _, b := range g.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok && call.Call.StaticCallee() == fn {
					root := objectOf(call.Call.Args[i])
					alloc, isNew := root.(*ssa.Alloc)
					if !isNew || seen[root] || e.info(g).inner.has(b.Index) && alloc.Block() != b {
						return false // an object that has lived, or again
					}
					seen[root] = true
					calls++
					continue
				}
				for _, op := range in.Operands(nil) {
					if *op == ssa.Value(fn) {
						return false // deferred, started, or a value: it cannot be told when it runs
					}
				}
			}
		}
	}
	return calls > 0
}

// objectOf is the object that an address lies in. What a literal captures is in
// a variable of its own.
func objectOf(v ssa.Value) ssa.Value {
	for range 8 {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			cell := cellOf(x)
			if cell == nil {
				return v
			}
			val := onlyStore(cell)
			if val == nil {
				return v
			}
			v = val
		default:
			return v
		}
	}
	return v
}
