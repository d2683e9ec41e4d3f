// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// keepFact is what another package says of a function, or nil.
func (k *keepScan) keepFact(obj *types.Func) *KeepFact {
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == k.e.pass.Pkg {
		return nil
	}
	obj = obj.Origin()
	f, ok := k.keepFacts[obj]
	if !ok {
		if got := new(KeepFact); k.e.pass.ImportObjectFact(obj, got) {
			f = got
		}
		k.keepFacts[obj] = f
	}
	return f
}

// acrossEvent makes events of a call into another package. The container is the
// variable here that holds the other package's object, as with list.List:
//
//	s.cache.Put(id, b)     an insertion into s.cache
//	store.Remember(b)      an insertion into a variable of store
func (k *keepScan) acrossEvent(fn *ssa.Function, in ssa.CallInstruction, obj *types.Func) {
	c := in.Common()
	if obj.Pkg() == k.e.pass.Pkg {
		return // events of its own
	}
	f := k.keepFact(obj)
	if k.removalName(obj, f) {
		k.namedRemoval(fn, in)
	}
	if f == nil {
		return
	}
	k.crossed = true
	for i := range f.Ops {
		op := &f.Ops[i]
		ref, ok := keepRef{}, false
		switch {
		case op.In < 0:
			ref, ok = k.foreignPlace(op.Place, obj.Pkg())
		case op.In < len(c.Args):
			ref, ok = k.whole(c.Args[op.In])
		}
		if !ok {
			continue
		}
		h := k.at(ref.place)
		h.beyond = h.beyond || op.In >= 0
		if op.Escapes && op.In >= 0 {
			h.escapes = true
		}
		if op.Func >= 0 && op.Func < len(c.Args) {
			if lit := keepLiteral(c.Args[op.Func]); lit != nil {
				for _, p := range lit.Params {
					h.reads = append(h.reads, p)
				}
			}
		}
		v := callResult(in, op.Result)
		ev := &keepEvent{op: keepOp(op.Op), ref: ref, fn: fn, at: in, what: obj.Name(), slice: op.Slice, fact: op}
		if op.Key >= 0 && op.Key < len(c.Args) {
			ev.key = c.Args[op.Key]
		}
		switch ev.op {
		case keepGive:
			h.reads = appendValue(h.reads, v)
			continue
		case keepAdd:
			if op.Elem < 0 || op.Elem >= len(c.Args) || op.Told {
				continue
			}
			ev.elem = c.Args[op.Elem]
			ev.typ = madeType(ev.elem)
			if !k.holds(ev.elem) {
				continue
			}
		default:
			if _, deferred := in.(*ssa.Defer); deferred {
				continue // at the end of whoever made the object
			}
			ev.takes = v != nil
			// Set may evict, Get may expire: not what is asked for.
			ev.quiet = f.doesMore(op) && !isRemovalName(obj.Name())
			h.reads = appendValue(h.reads, v)
		}
		k.event(ev)
	}
}

// whole is the variable that holds an object. Methods of an embedded field are
// called on that field, which the user does not see: the variable of his is the
// one that holds it all.
//
//	t1 = &s.cache [#0]
//	t2 = *t1
//	t3 = &t2.shards [#0]     embedded
//	t4 = *t3
//	(*shards).Put(t4, ...)
func (k *keepScan) whole(v ssa.Value) (keepRef, bool) {
	ref, ok := k.container(v)
	for i := 0; ok && i < 3 && ref.place.obj != nil && ref.place.obj.Embedded() && ref.place.obj.Pkg() != k.e.pass.Pkg && ref.base != nil; i++ {
		ref, ok = k.container(ref.base)
	}
	return ref, ok
}

func appendValue(list []ssa.Value, v ssa.Value) []ssa.Value {
	if v == nil {
		return list
	}
	return append(list, v)
}

// callResult is the value of a call's result i, or nil if nobody looks at it.
func callResult(in ssa.CallInstruction, i int) ssa.Value {
	call, ok := in.(*ssa.Call)
	if !ok || i < 0 || call.Referrers() == nil {
		return nil
	}
	if tup, ok := call.Type().(*types.Tuple); !ok || tup.Len() < 2 {
		if unused(call) {
			return nil
		}
		return call
	}
	for _, ref := range *call.Referrers() {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == i && !unused(x) {
			return x
		}
	}
	return nil
}

// removalWords begin the names of methods that take something out.
var removalWords = []string{
	"delete", "remove", "evict", "pop", "clear", "purge", "flush", "reset", "take", "drain", "trim", "prune", "expire", "forget", "release", "free",
	"drop", "invalidate", "shrink", "truncate", "discard", "clean", "cleanup", "gc", "reap", "dequeue", "shift", "steal", "swap", "resize", "replace",
}

func isRemovalName(name string) bool {
	words := nameWords(name)
	return len(words) > 0 && slices.Contains(removalWords, words[0])
}

// doesMore reports whether a function that removes adds or looks up as well.
func (f *KeepFact) doesMore(removal *KeepOp) bool {
	return slices.ContainsFunc(f.Ops, func(op KeepOp) bool { return !op.removes() && op.In == removal.In })
}

// removalName reports whether a method of a container type has a name that says
// that it takes something out, and its package has not shown how. Such a name is
// believed.
func (k *keepScan) removalName(obj *types.Func, f *KeepFact) bool {
	obj = obj.Origin()
	yes, ok := k.removals[obj]
	if ok {
		return yes
	}
	recv := obj.Signature().Recv()
	switch {
	case recv == nil:
	case f != nil && slices.ContainsFunc(f.Ops, func(op KeepOp) bool { return op.removes() }):
	case !isRemovalName(obj.Name()):
	default:
		n := namedOf(recv.Type())
		yes = n != nil && k.keeps(n)
	}
	k.removals[obj] = yes
	return yes
}

func (k *keepScan) namedRemoval(fn *ssa.Function, in ssa.CallInstruction) {
	if _, deferred := in.(*ssa.Defer); deferred {
		return
	}
	if ref, ok := k.whole(in.Common().Args[0]); ok {
		k.event(&keepEvent{op: keepDrop, ref: ref, fn: fn, at: in, what: "call", quiet: true})
	}
}

// keeps reports whether a type of another package has a method that puts
// something into it.
func (k *keepScan) keeps(n *types.Named) bool {
	for i := range n.NumMethods() {
		if f := k.keepFact(n.Method(i)); f != nil {
			for _, op := range f.Ops {
				if op.Op == uint8(keepAdd) {
					return true
				}
			}
		}
	}
	return false
}

// foreignPlace is a package variable of another package. One that is not
// exported has no object here, so one is made.
func (k *keepScan) foreignPlace(key string, home *types.Package) (keepRef, bool) {
	v, ok := k.foreign[key]
	if !ok {
		i := strings.LastIndex(key, ".")
		path, name := key[:i], key[i+1:]
		if path == k.e.pass.Pkg.Path() {
			return keepRef{}, false // imported by what it imports: a test's variant
		}
		for _, p := range append([]*types.Package{home}, k.e.pass.Pkg.Imports()...) {
			if p.Path() != path {
				continue
			}
			v, _ = p.Scope().Lookup(name).(*types.Var)
			if v == nil {
				v = types.NewVar(token.NoPos, p, name, types.Typ[types.Invalid])
			}
			break
		}
		k.foreign[key] = v
	}
	return keepRef{place: keepPlace{obj: v}}, v != nil
}

// away collects what the packages below know of the containers that are filled
// here.
func (k *keepScan) aways() {
	known := map[string]HeldFact{}
	for _, imp := range k.e.pass.Pkg.Imports() {
		var f PkgFact
		if !k.e.pass.ImportPackageFact(imp, &f) {
			continue
		}
		for _, h := range f.Held {
			known[h.Place] = merge(known[h.Place], h)
		}
	}
	for _, h := range k.order {
		if h.obj == nil || h.obj.Pkg() == nil || h.obj.Pkg() == k.e.pass.Pkg {
			continue
		}
		if got, ok := known[k.placeKey(h.obj)]; ok {
			h.away = got
			h.escapes = h.escapes || got.Escapes
		}
	}
	k.below = known
}

func merge(a, b HeldFact) HeldFact {
	return HeldFact{Place: b.Place, Taken: a.Taken || b.Taken, Released: a.Released || b.Released, Escapes: a.Escapes || b.Escapes}
}

// heldFacts is what importers are told: the containers that they can reach too,
// here and in the packages below.
func (k *keepScan) heldFacts() []HeldFact {
	all := k.below
	for _, h := range k.order {
		if h.obj == nil || len(h.events) == 0 && !h.escapes && len(h.released) == 0 {
			continue
		}
		if h.obj.Pkg() == k.e.pass.Pkg && !h.obj.Exported() {
			continue // what calls do to it is in their facts
		}
		got := HeldFact{Place: k.placeKey(h.obj), Taken: k.everTaken(h), Released: len(h.released) > 0, Escapes: h.escapes}
		if got.Place != "" && (got.Taken || got.Released || got.Escapes) {
			all[got.Place] = merge(all[got.Place], got)
		}
	}
	var list []HeldFact
	for _, place := range sortedKeys(all) {
		list = append(list, all[place])
	}
	return list
}

// foreignTier is how sure an insertion into another package's variable or field
// can be. Who imports both may take elements out; above main there is nobody.
func (k *keepScan) foreignTier(h *held, ev *keepEvent) report.Tier {
	if h.obj == nil || h.obj.Pkg() == k.e.pass.Pkg || h.obj.Pkg() == nil {
		return report.Likely
	}
	if k.e.pass.Pkg.Name() == "main" {
		return report.Likely
	}
	if ev.fact != nil && ev.fact.In < 0 && !ev.fact.Removable && !h.obj.Exported() {
		return report.Likely // nothing that could be called takes out
	}
	return report.Possible
}

// emptiedAway reports whether another package releases the elements of a
// container, or a func that the container was given.
func (k *keepScan) emptiedAway(h *held, ev *keepEvent) bool {
	return h.away.Released || ev.fact != nil && (ev.fact.Released || h.hooked)
}

// askWords begin the names of methods that look for a key.
var askWords = []string{"get", "has", "contains", "lookup", "load", "peek", "find", "exists", "fetch"}

// asks reports whether a call looks something up in a container of another
// package.
func (k *keepScan) asks(call *ssa.Call, ev *keepEvent) bool {
	callee := call.Call.StaticCallee()
	if callee == nil || len(call.Call.Args) == 0 || originFunc(callee) == nil {
		return false
	}
	if words := nameWords(originFunc(callee).Name()); len(words) > 0 && slices.Contains(askWords, words[0]) {
		return true
	}
	f := k.keepFact(originFunc(callee))
	return f != nil && slices.ContainsFunc(f.Ops, func(op KeepOp) bool { return op.Op == uint8(keepGive) && op.In == 0 && ev.fact.In == 0 })
}
