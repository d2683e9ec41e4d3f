// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// scan collects what every function does to every container.
func (k *keepScan) scan() {
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				k.instr(fn, in)
				k.load(in)
			}
		}
	}
	k.openCalls()
	k.private()
	k.aways()
	for _, fn := range k.e.funcs {
		for _, h := range k.lists[fn] {
			h.reads = append(h.reads, k.listReads[fn]...)
		}
	}
	for _, h := range k.order {
		if len(h.events) > 0 {
			k.uses(h)
		}
	}
}

func (k *keepScan) instr(fn *ssa.Function, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		k.mapUpdate(fn, in)
	case *ssa.Store:
		k.assign(fn, in)
	case *ssa.Send:
		k.send(fn, in, in.Chan, in.X)
	case *ssa.Select:
		for _, st := range in.States {
			if st.Send != nil {
				k.send(fn, in, st.Chan, st.Send)
			} else if ref, ok := k.container(st.Chan); ok {
				k.event(&keepEvent{op: keepDrop, ref: ref, fn: fn, at: in, what: "receive", pos: st.Pos, typ: st.Chan.Type().Underlying().(*types.Chan).Elem()})
			}
		}
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			if ref, ok := k.container(in.X); ok {
				k.event(&keepEvent{op: keepDrop, ref: ref, fn: fn, at: in, what: "receive", takes: true, typ: in.Type()})
			}
		}
	case ssa.CallInstruction:
		k.callEvent(fn, in)
	}
}

func (k *keepScan) send(fn *ssa.Function, at ssa.Instruction, ch, x ssa.Value) {
	if ref, ok := k.container(ch); ok && k.holds(x) {
		k.event(&keepEvent{op: keepAdd, ref: ref, fn: fn, at: at, elem: x, typ: x.Type(), what: "send"})
	}
}

// holds reports whether a value can hold a resource, by what it was before it
// became an interface.
func (k *keepScan) holds(v ssa.Value) bool {
	_, ok := k.elem(madeType(v))
	return ok
}

func (k *keepScan) mapUpdate(fn *ssa.Function, in *ssa.MapUpdate) {
	ref, ok := k.container(in.Map)
	if !ok {
		return
	}
	if isContainer(in.Value.Type()) {
		k.assigned(fn, in, ref, in.Value, in.Key)
		return
	}
	ev := &keepEvent{op: keepAdd, ref: ref, fn: fn, at: in, key: in.Key, elem: in.Value, typ: in.Value.Type()}
	if isEmptyValue(in.Value.Type()) {
		ev.set, ev.elem, ev.typ = true, in.Key, in.Key.Type() // a set of handles
	}
	if k.holds(ev.elem) {
		k.event(ev)
	} else {
		k.funcEvent(ev)
	}
}

// unchained finds the other end of such a list: its head becomes what a node
// leads to, or nil.
func (k *keepScan) unchained(fn *ssa.Function, in *ssa.Store, ref keepRef) {
	load, ok := in.Val.(*ssa.UnOp)
	if !ok || !k.holds(in.Val) {
		return
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return
	}
	if from, ok := k.container(k.origin(fa.X)); ok && from.place == ref.place {
		k.event(&keepEvent{op: keepDrop, ref: ref, fn: fn, at: in, typ: in.Val.Type(), what: "the cut", quiet: true})
	}
}

// isEmptyValue: the values of a map that serves as a set.
func isEmptyValue(t types.Type) bool {
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st.NumFields() == 0
	}
	return isBool(t)
}

func isContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// assign handles a store: to an element in place, or of a whole container.
func (k *keepScan) assign(fn *ssa.Function, in *ssa.Store) {
	if ia, ok := in.Addr.(*ssa.IndexAddr); ok && !isContainer(in.Val.Type()) {
		if ref, ok := k.containerOf(ia.X, map[ssa.Value]bool{}); ok && k.holds(in.Val) {
			k.event(&keepEvent{op: keepSlot, ref: ref, fn: fn, at: in, key: ia.Index, elem: in.Val, typ: in.Val.Type(), what: "assignment"})
		}
		return
	}
	ref, ok := k.address(in.Addr)
	if !ok {
		return
	}
	if isContainer(in.Val.Type()) {
		k.assigned(fn, in, ref, in.Val, nil)
		return
	}
	k.chained(fn, in, ref)
}

// chained finds a list without a container: a new node that leads to the old
// head.
//
//	t0 = new node (complit)
//	t1 = &t0.next [#1]
//	t2 = *(&c.head)
//	*t1 = t2
//	*(&c.head) = t0
func (k *keepScan) chained(fn *ssa.Function, in *ssa.Store, ref keepRef) {
	node, ok := in.Val.(*ssa.Alloc)
	if !ok {
		k.unchained(fn, in, ref)
		return
	}
	if !k.holds(node) {
		return
	}
	for _, r := range *node.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, s := range *fa.Referrers() {
			st, ok := s.(*ssa.Store)
			if !ok || st.Addr != fa {
				continue
			}
			if old, ok := k.container(st.Val); ok && old.place == ref.place {
				k.event(&keepEvent{op: keepAdd, ref: ref, fn: fn, at: in, elem: node, typ: node.Type(), slice: true, what: "push"})
				return
			}
		}
	}
}

// beginning reports whether an assignment gives a container its first value:
// in a constructor, in an initialiser, or where it was nil.
func (k *keepScan) beginning(fn *ssa.Function, at ssa.Instruction, ref keepRef) bool {
	if strings.HasPrefix(fn.Name(), "init") && fn.Signature.Recv() == nil {
		return true
	}
	if ref.base != nil && k.fresh(ref.base) {
		return true
	}
	if a := ref.place.cell; a != nil && a.Parent() == fn {
		return true // the declaration
	}
	return k.guarded(at.Block(), ref.place)
}

// fresh reports whether an object was made by the function at hand.
func (k *keepScan) fresh(base ssa.Value) bool {
	switch x := k.origin(base).(type) {
	case *ssa.Alloc:
		return true
	case *ssa.FieldAddr:
		return k.fresh(x.X) // a struct inside it
	}
	return false
}

// guarded reports whether b is only reached where the place was found empty:
//
//	if c.m == nil { c.m = ... }
//	if len(c.m) == 0 { ... }
func (k *keepScan) guarded(b *ssa.BasicBlock, p keepPlace) bool {
	for d := b; d != nil; d = d.Idom() {
		up := d.Idom()
		if up == nil || len(d.Preds) != 1 || d.Preds[0] != up {
			continue
		}
		iff, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := iff.Cond.(*ssa.BinOp)
		if !ok || bin.Op != token.EQL && bin.Op != token.NEQ {
			continue
		}
		if (bin.Op == token.EQL) != (up.Succs[0] == d) {
			continue
		}
		for _, pair := range [][2]ssa.Value{{bin.X, bin.Y}, {bin.Y, bin.X}} {
			c, ok := pair[1].(*ssa.Const)
			if !ok || c.Value != nil && !isZeroConst(c) {
				continue
			}
			if k.measures(pair[0], p) {
				return true
			}
			if ref, ok := k.container(pair[0]); ok && ref.place == p && !ref.nested {
				return true
			}
		}
	}
	return false
}

// measures reports whether v is the length of what a place holds.
func (k *keepScan) measures(v ssa.Value, p keepPlace) bool {
	for i := 0; i < 4; i++ {
		switch x := v.(type) {
		case *ssa.Convert:
			v = x.X
		case *ssa.BinOp:
			if _, ok := x.Y.(*ssa.Const); !ok {
				return false
			}
			v = x.X // len(s) + 1
		case *ssa.Call:
			if b, ok := x.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
				ref, ok := k.container(x.Call.Args[0])
				return ok && ref.place == p
			}
			if fn := x.Call.StaticCallee(); fn != nil && (fn.Name() == "Len" || fn.Name() == "Size") && len(x.Call.Args) == 1 {
				ref, ok := k.container(x.Call.Args[0])
				return ok && ref.place == p
			}
			return false
		default:
			return false
		}
	}
	return false
}
