// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// stdKeeper is what a function of a standard container does: which argument is
// put in, whether it takes out, and whether the result is what it took.
type stdKeeper struct {
	op    keepOp
	key   int // argument, or -1
	elem  int // argument, or -1
	takes bool
}

var stdKeepers = map[string]map[string]stdKeeper{
	"container/list": {
		"List.PushBack":     {keepAdd, -1, 1, false},
		"List.PushFront":    {keepAdd, -1, 1, false},
		"List.InsertBefore": {keepAdd, -1, 1, false},
		"List.InsertAfter":  {keepAdd, -1, 1, false},
		"List.Remove":       {keepDrop, -1, -1, true},
		"List.Init":         {keepClear, -1, -1, false},
	},
	"sync": {
		"Map.Store":            {keepAdd, 1, 2, false},
		"Map.LoadOrStore":      {keepAdd, 1, 2, false},
		"Map.Swap":             {keepAdd, 1, 2, true},
		"Map.Delete":           {keepDrop, 1, -1, false},
		"Map.LoadAndDelete":    {keepDrop, 1, -1, true},
		"Map.CompareAndDelete": {keepDrop, 1, -1, false},
		"Map.Clear":            {keepClear, -1, -1, false},
	},
	"container/heap": {
		"Push":   {keepAdd, -1, 1, false},
		"Pop":    {keepDrop, -1, -1, true},
		"Remove": {keepDrop, -1, -1, true},
	},
	"maps": {
		"DeleteFunc": {keepDrop, -1, -1, false},
	},
}

// callEvent handles builtins and the containers of the standard library.
func (k *keepScan) callEvent(fn *ssa.Function, in ssa.CallInstruction) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		k.builtinEvent(fn, in, b)
		return
	}
	callee := c.StaticCallee()
	if callee == nil || len(c.Args) == 0 {
		return
	}
	obj := originFunc(callee)
	if obj == nil || obj.Pkg() == nil {
		return
	}
	table := stdKeepers[obj.Pkg().Path()]
	if table == nil {
		k.acrossEvent(fn, in, obj)
		return
	}
	name := stdCallee(c, obj.Pkg().Path())
	what, ok := table[name]
	if !ok {
		k.readEvent(fn, in, name)
		return
	}
	ref, ok := k.container(c.Args[0])
	if !ok {
		return
	}
	ev := &keepEvent{op: what.op, ref: ref, fn: fn, at: in, what: name, takes: what.takes, slice: what.key < 0}
	if what.key >= 0 {
		ev.key = c.Args[what.key]
	}
	switch what.op {
	case keepAdd:
		ev.elem = c.Args[what.elem]
		ev.typ = madeType(ev.elem)
		if !k.holds(ev.elem) {
			return
		}
	case keepDrop:
		if v, ok := in.(ssa.Value); ok && what.takes {
			k.at(ref.place).reads = append(k.at(ref.place).reads, v)
		}
	}
	k.event(ev)
}

func originFunc(fn *ssa.Function) *types.Func {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	return obj
}

func (k *keepScan) builtinEvent(fn *ssa.Function, in ssa.CallInstruction, b *ssa.Builtin) {
	args := in.Common().Args
	if b.Name() != "delete" && b.Name() != "clear" {
		return
	}
	ref, ok := k.container(args[0])
	if !ok {
		return
	}
	ev := &keepEvent{op: keepClear, ref: ref, fn: fn, at: in, what: "clear", typ: leafType(args[0].Type())}
	if m, ok := args[0].Type().Underlying().(*types.Map); ok && isEmptyValue(m.Elem()) {
		ev.set, ev.typ = true, m.Key()
	}
	if b.Name() == "delete" {
		ev.op, ev.key, ev.what = keepDrop, args[1], "delete"
	}
	if _, ok := k.elem(ev.typ); ok || isFunc(ev.typ) {
		k.event(ev)
	}
}

// readEvent notes the elements that a standard container gives out.
func (k *keepScan) readEvent(fn *ssa.Function, in ssa.CallInstruction, name string) {
	c := in.Common()
	switch name {
	case "Map.Load", "Map.Range":
	default:
		return
	}
	ref, ok := k.container(c.Args[0])
	if !ok {
		return
	}
	h := k.at(ref.place)
	if name == "Map.Load" {
		if v, ok := in.(ssa.Value); ok {
			h.reads = append(h.reads, v)
		}
		return
	}
	if lit := keepLiteral(c.Args[1]); lit != nil && len(lit.Params) == 2 {
		h.reads = append(h.reads, lit.Params[1])
	}
}

func keepLiteral(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	case *ssa.ChangeType:
		return keepLiteral(v.X)
	}
	return nil
}

// openAdd is a parameter that a function puts into a container whose element
// type decides nothing: any, or a type parameter.
type openAdd struct {
	param int
	key   ssa.Value
	inner *keepEvent
}

// openCalls applies what such functions do at the calls that hand them a
// resource: cache.Put(id, tensor). The container is the one inside the type,
// what is reported is the call.
func (k *keepScan) openCalls() {
	var inner []*keepEvent
	for _, h := range k.order {
		for _, ev := range h.adds {
			got, ok := k.elem(ev.typ)
			if ok && got.open {
				inner = append(inner, ev)
			}
		}
	}
	for _, ev := range inner {
		got := k.value(ev.elem)
		if got.source != fromParam || got.param.Parent() != ev.fn {
			continue
		}
		for i, p := range ev.fn.Params {
			if p == got.param {
				k.open[ev.fn] = append(k.open[ev.fn], openAdd{i, ev.key, ev})
			}
		}
	}
	if len(k.open) == 0 {
		return
	}
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := call.Common().StaticCallee()
				if callee == nil {
					continue
				}
				if o := callee.Origin(); o != nil {
					callee = o
				}
				for _, add := range k.open[callee] {
					k.openCall(fn, call, add)
				}
			}
		}
	}
}

func (k *keepScan) openCall(fn *ssa.Function, in ssa.CallInstruction, add openAdd) {
	args := in.Common().Args
	if add.param >= len(args) {
		return
	}
	elem := args[add.param]
	if got, ok := k.elem(madeType(elem)); !ok || got.open {
		return
	}
	outer, ok := keepRef{}, false
	if recv := in.Common().Signature().Recv(); recv != nil {
		outer, ok = k.container(args[0])
	}
	if !ok && add.inner.ref.base != nil {
		return // a container of this function's own
	}
	ev := &keepEvent{
		op: keepAdd, ref: add.inner.ref, fn: fn, at: in, elem: elem, typ: madeType(elem),
		slice: add.inner.slice, what: "call", outer: outer,
	}
	if p, ok := add.key.(*ssa.Parameter); ok {
		for i, q := range add.inner.fn.Params {
			if p == q && i < len(args) {
				ev.key = args[i]
			}
		}
	} else if add.key != nil {
		ev.key = add.key
	}
	ev.within = add.inner
	k.event(ev)
}
