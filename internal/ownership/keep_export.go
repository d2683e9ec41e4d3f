// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// exportKept writes the facts of every function that other packages can call.
func (k *keepScan) exportKept() {
	o := k.newOps()
	if len(o.events) == 0 && len(o.given) == 0 && !k.crossed {
		return // the common case
	}
	found := map[*ssa.Function][]placedOp{}
	var order []*ssa.Function
	for _, fn := range k.e.funcs {
		if fn.Parent() != nil {
			continue
		}
		if ops := o.of(fn, 0); len(ops) > 0 {
			found[fn] = ops
			order = append(order, fn)
		}
	}
	removable := map[keepPlace]bool{}
	for _, fn := range order {
		for _, op := range found[fn] {
			removable[op.place] = removable[op.place] || op.removes()
		}
	}
	for _, fn := range order {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() {
			continue // no other package can call it
		}
		if recv := obj.Signature().Recv(); recv != nil {
			if n := namedOf(recv.Type()); n == nil || !n.Obj().Exported() {
				continue // promoted through an exported type: drivers that encode facts would lose this one
			}
		}
		f := new(KeepFact)
		for _, op := range found[fn] {
			op.Removable = removable[op.place] || o.self[op.place] != nil
			o.finish(&op, found[fn])
			if !slices.Contains(f.Ops, op.KeepOp) {
				f.Ops = append(f.Ops, op.KeepOp)
			}
		}
		sort.SliceStable(f.Ops, func(i, j int) bool { return f.Ops[i].less(&f.Ops[j]) })
		k.e.pass.ExportObjectFact(obj, f)
	}
}

func (op *KeepOp) less(to *KeepOp) bool {
	switch {
	case op.Op != to.Op:
		return op.Op < to.Op
	case op.In != to.In:
		return op.In < to.In
	case op.Place != to.Place:
		return op.Place < to.Place
	case op.Elem != to.Elem:
		return op.Elem < to.Elem
	}
	return op.Key < to.Key
}

func (op *KeepOp) removes() bool { return op.Op == uint8(keepDrop) || op.Op == uint8(keepClear) }

// finish adds what is known of the container as a whole. What removes in the
// very function that adds is how the container bounds itself.
func (o *keepOps) finish(op *placedOp, all []placedOp) {
	h := o.k.held[op.place]
	if h == nil {
		return
	}
	op.Escapes = op.Escapes || h.escapes
	if op.removes() {
		return
	}
	op.Released = op.Released || len(h.released) > len(h.calledBack)
	if op.Op != uint8(keepAdd) {
		return
	}
	op.Limited = op.Limited || op.bounded || o.limited(op)
	// A janitor, a timer.
	if fn := o.self[op.place]; fn != nil {
		op.Limited = true
		if !o.releasing(h, fn) && !o.callsOut(fn).elem && !o.worked[op.place] {
			op.Evicts, op.Calls = true, op.Calls || o.callsOut(fn).away
		}
	}
	for _, other := range all {
		if other.removes() && other.In == op.In && other.Place == op.Place {
			op.Limited = true
			if !other.Released && other.Result < 0 {
				op.Evicts = true
			}
			op.Calls = op.Calls || other.Calls
		}
	}
	op.Told = o.k.told[op.place]
}

// releasing reports whether a function, not a func that it was given, releases
// the elements of a container.
func (o *keepOps) releasing(h *held, fn *ssa.Function) bool {
	for _, f := range []*ssa.Function{fn, top(fn)} {
		if slices.Contains(h.released, f) && !slices.Contains(h.calledBack, f) {
			return true
		}
	}
	return o.k.callsReleaser(h, fn)
}

// limitWords are in the names of fields that limit a container.
var limitWords = []string{"max", "limit", "capacity", "ttl", "expir", "budget", "evict", "quota", "bound"}

// limited reports whether the type of the object has a field that is named like
// a limit: how it is kept may be beyond what is understood here.
func (o *keepOps) limited(op *placedOp) bool {
	if op.In < 0 || op.In >= len(op.root.Params) {
		return false
	}
	named := namedOf(op.root.Params[op.In].Type())
	if named == nil {
		return false
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if f := st.Field(i); hasWord(f.Name(), limitWords) && !isFunc(f.Type()) {
			return true
		}
	}
	return false
}
