// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// placedOp is an operation before it becomes a fact: its container is still
// known as a place.
type placedOp struct {
	KeepOp
	place   keepPlace
	bounded bool // where it is put in
	root    *ssa.Function
}

// keepOps finds what the functions of a package do to containers of their
// arguments.
type keepOps struct {
	k      *keepScan
	events map[*ssa.Function][]*keepEvent
	given  map[*ssa.Function][]*held // whose elements it hands out
	memo   map[*ssa.Function][]placedOp
	self   map[keepPlace]*ssa.Function // elements leave without a call from outside: where
	worked map[keepPlace]bool          // they are received there, which is what they were sent for
	out    map[*ssa.Function]outcalls
}

func (k *keepScan) newOps() *keepOps {
	o := &keepOps{
		k: k, events: map[*ssa.Function][]*keepEvent{}, given: map[*ssa.Function][]*held{}, memo: map[*ssa.Function][]placedOp{},
		self: map[keepPlace]*ssa.Function{}, worked: map[keepPlace]bool{}, out: map[*ssa.Function]outcalls{},
	}
	for _, h := range k.order {
		if h.obj == nil {
			continue
		}
		for _, ev := range h.events {
			o.events[top(ev.fn)] = append(o.events[top(ev.fn)], ev)
		}
		for _, fn := range h.gives {
			o.given[fn] = append(o.given[fn], h)
		}
	}
	return o
}

// of lists what fn does, itself or through the functions of the package that
// it calls.
func (o *keepOps) of(fn *ssa.Function, depth int) []placedOp {
	if ops, ok := o.memo[fn]; ok {
		return ops
	}
	if depth > 6 {
		return nil // deeper than anybody delegates; not remembered
	}
	o.memo[fn] = nil // recursion
	var ops []placedOp
	add := func(op placedOp) {
		op.root = fn
		if !slices.Contains(ops, op) && len(ops) < 24 {
			ops = append(ops, op)
		}
	}
	for _, ev := range o.events[fn] {
		o.direct(fn, ev, add)
	}
	o.gives(fn, add)
	for _, f := range append([]*ssa.Function{fn}, literalsIn(fn)...) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(ssa.CallInstruction); ok {
					o.call(fn, call, depth, add)
				}
			}
		}
	}
	o.memo[fn] = ops
	return ops
}

func literalsIn(fn *ssa.Function) []*ssa.Function {
	var list []*ssa.Function
	for _, anon := range fn.AnonFuncs {
		list = append(list, anon)
		list = append(list, literalsIn(anon)...)
	}
	return list
}

// direct turns an event into operations.
func (o *keepOps) direct(fn *ssa.Function, ev *keepEvent, add func(placedOp)) {
	op := placedOp{place: ev.ref.place}
	op.KeepOp = KeepOp{Op: uint8(ev.op), In: -1, Elem: -1, Key: argIndex(fn, ev.key), Result: -1, Func: -1, Slice: ev.slice}
	h := o.k.held[ev.ref.place]
	removal := ev.op == keepDrop || ev.op == keepClear || ev.op == keepFilter
	if removal && o.k.finalizes(ev) {
		return // it cannot happen
	}
	if removal && o.later(ev.fn) {
		o.self[op.place] = ev.fn
		o.worked[op.place] = o.worked[op.place] || ev.what == "receive"
		return
	}
	if op.place.obj.IsField() {
		if op.In = o.arg(fn, ev.ref.base, 0); op.In < 0 {
			if removal && !o.k.endOfLife(h, ev) && !o.k.ownFresh(ev) {
				o.self[op.place] = ev.fn // of an object that comes from elsewhere
			}
			return
		}
	} else if op.Place = o.k.placeKey(op.place.obj); op.Place == "" {
		return
	}
	if ev.fact != nil {
		op.Limited, op.Evicts, op.Calls, op.Released, op.Escapes = ev.fact.Limited, ev.fact.Evicts, ev.fact.Calls, ev.fact.Released, ev.fact.Escapes
	}
	if removal {
		switch {
		case o.k.endOfLife(h, ev):
			op.Op = uint8(keepClear) // the importer asks who calls it
		case ev.op == keepFilter:
			op.Op = uint8(keepDrop)
		}
		op.Released = op.Released || o.releasing(h, ev.fn) || o.k.toldDrop[ev]
		op.Released = op.Released || o.callsOut(fn).elem
		op.Calls = op.Calls || o.callsOut(fn).away
		if slices.Contains(h.gives, fn) {
			op.Result = o.resultWith(fn, h)
		}
		add(op)
		return
	}
	if ev.op != keepAdd {
		return // in place: no more than there were
	}
	op.bounded = o.k.bounded(ev)
	for _, i := range o.params(fn, ev.elem) {
		if i != op.Key || i == argIndex(fn, ev.elem) {
			op.Elem = i
			add(op)
		}
	}
}

// ownFresh reports whether an event is about an object that its function made.
func (k *keepScan) ownFresh(ev *keepEvent) bool { return ev.ref.base != nil && k.fresh(ev.ref.base) }

// gives adds the functions that hand elements out.
func (o *keepOps) gives(fn *ssa.Function, add func(placedOp)) {
	if len(fn.Params) == 0 {
		return
	}
	for _, h := range o.given[fn] {
		op := placedOp{place: h.keepPlace}
		op.KeepOp = KeepOp{Op: uint8(keepGive), In: 0, Elem: -1, Key: -1, Result: o.resultWith(fn, h), Func: -1}
		if !h.obj.IsField() {
			op.In, op.Place = -1, o.k.placeKey(h.obj)
		}
		if op.Result < 0 {
			for i, p := range fn.Params {
				if isFunc(p.Type()) {
					op.Func = i
				}
			}
		}
		if op.Result >= 0 || op.Func >= 0 {
			add(op)
		}
	}
}

// resultWith is the result through which a function gives elements out: the
// first that is no error, no bool and no key.
func (o *keepOps) resultWith(fn *ssa.Function, h *held) int {
	res := fn.Signature.Results()
	best := -1
	for i := range res.Len() {
		t := res.At(i).Type()
		if isError(t) || isBool(t) {
			continue
		}
		for _, ev := range h.adds {
			if ev.elem != nil && types.Identical(leafType(t), leafType(madeType(ev.elem))) {
				return i
			}
		}
		if got, ok := o.k.elem(leafType(t)); ok && (best < 0 || got.open) || isFunc(t) && best < 0 {
			best = i // in golang-lru it is the second of key, value, ok
		}
	}
	return best
}

// call takes over what a called function does to what fn gives it.
func (o *keepOps) call(fn *ssa.Function, call ssa.CallInstruction, depth int, add func(placedOp)) {
	c := call.Common()
	callee := c.StaticCallee()
	if callee == nil || originFunc(callee) == nil {
		return
	}
	if org := callee.Origin(); org != nil {
		callee = org
	}
	var ops []placedOp
	switch {
	case callee == fn:
		return
	case o.k.e.local(callee):
		ops = o.of(callee, depth+1)
	default:
		f := o.k.keepFact(originFunc(callee))
		if f == nil {
			return
		}
		for _, op := range f.Ops {
			if op.In < 0 || op.In >= len(c.Args) {
				continue
			}
			if _, isPlace := o.k.whole(c.Args[op.In]); isPlace {
				continue // an event of this package
			}
			ops = append(ops, placedOp{KeepOp: op})
		}
	}
	_, started := call.(*ssa.Go)
	started = started || o.later(call.Parent())
	for _, op := range ops {
		if op.removes() && started {
			o.self[op.place] = callee
			continue
		}
		if op.In >= 0 {
			if op.In >= len(c.Args) {
				continue
			}
			in := o.arg(fn, c.Args[op.In], 0)
			if in < 0 {
				continue
			}
			op.In = in
		}
		if op.Key >= 0 && op.Key < len(c.Args) {
			op.Key = argIndex(fn, c.Args[op.Key])
		}
		switch keepOp(op.Op) {
		case keepGive:
			continue // known from what fn itself returns
		case keepAdd:
			if op.Elem >= len(c.Args) || op.Elem < 0 {
				continue
			}
			elem := op.Elem
			for _, i := range o.params(fn, c.Args[elem]) {
				op.Elem = i
				add(op)
			}
		default:
			if h := o.k.held[op.place]; h != nil && op.Result >= 0 {
				op.Released = op.Released || o.releasing(h, fn)
				op.Result = -1
				if slices.Contains(h.gives, fn) {
					op.Result = o.resultWith(fn, h)
				}
			}
			op.Calls = op.Calls || o.callsOut(fn).away
			add(op)
		}
	}
}

// later reports whether a function runs other than as part of a call from
// outside: a goroutine, a timer, a func that is kept.
func (o *keepOps) later(fn *ssa.Function) bool {
	for f := fn; f != nil; f = f.Parent() {
		if f.Parent() == nil {
			return o.k.startsAway(f)
		}
		mc := o.k.closure(f)
		if mc == nil {
			continue
		}
		if o.k.outlives(mc) {
			return true
		}
		for _, ref := range *mc.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Go:
				return true
			case *ssa.Call:
				if name := stdCallee(&ref.Call, "time"); name == "AfterFunc" {
					return true
				}
			}
		}
	}
	return false
}

// startsAway reports whether a declared function is started as a goroutine or
// used as a value: whoever has it can call it.
func (k *keepScan) startsAway(fn *ssa.Function) bool {
	for _, c := range k.callersOf(fn) {
		if _, isGo := c.(*ssa.Go); isGo {
			return true
		}
	}
	return k.taken[fn]
}

// callsOut reports whether a function, or one of the package that it calls,
// calls a func or a method that it does not know by name.
func (o *keepOps) callsOut(fn *ssa.Function) outcalls {
	got, ok := o.out[fn]
	if !ok {
		o.collectCalls(fn, &got, map[*ssa.Function]bool{})
		o.out[fn] = got
	}
	return got
}

// outcalls are the calls of a function whose callee is not known.
type outcalls struct {
	away bool // of a func, or a method of an interface that the object was given
	elem bool // of a method of a type parameter: the element may end itself
}

func (o *keepOps) collectCalls(fn *ssa.Function, out *outcalls, seen map[*ssa.Function]bool) {
	if seen[fn] || len(seen) > 20 {
		return
	}
	seen[fn] = true
	for _, f := range append([]*ssa.Function{fn}, literalsIn(fn)...) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				c := call.Common()
				callee := c.StaticCallee()
				switch {
				case c.IsInvoke():
					if _, ok := types.Unalias(c.Value.Type()).(*types.TypeParam); ok {
						out.elem = true
					} else {
						out.away = true
					}
				case callee == nil:
					if _, isBuiltin := c.Value.(*ssa.Builtin); !isBuiltin {
						out.away = true
					}
				case callee.Object() == nil:
					// a literal: one of those above
				default:
					if org := callee.Origin(); org != nil {
						callee = org
					}
					if o.k.e.local(callee) {
						o.collectCalls(callee, out, seen)
					}
				}
			}
		}
	}
}
