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

// dropped reports removals that lose what the container owned.
//
// A container owns if some function releases its elements, or if what was put in
// was acquired on the spot and given to nobody else. A removal in a function
// that is handed the element as well only takes it off a list.
func (k *keepScan) dropped() []Verdict {
	var list []Verdict
	for _, h := range k.order {
		if len(k.twins[h]) > 0 || h.cell != nil && !k.cellLives(h.cell) {
			continue // in two containers: the other one may own it
		}
		owns := -1
		told := map[token.Pos]bool{}
		for _, ev := range h.events {
			tier, ok := k.droppable(h, ev)
			if !ok {
				continue
			}
			if owns < 0 {
				owns = 0
				if k.owns(h) {
					owns = 1
				}
			}
			if owns == 0 {
				break
			}
			if told[ev.at.Pos()] || !k.loses(h, ev) {
				continue
			}
			told[ev.at.Pos()] = true
			class := k.classOf(h, ev)
			if class.Name == "" {
				continue
			}
			k.toldDrop[ev] = tier >= report.Likely
			pos := k.pos(ev.at)
			if ev.pos.IsValid() {
				pos = ev.pos
			}
			v := Verdict{
				Kind: Evicted, Tier: min(tier, class.ceiling()), Pos: pos, Class: class, Function: funcName(ev.fn),
				Name: k.placeName(ev), Detail: ev.what,
			}
			v.Acquired = v.Pos
			if ev.op == keepAdd || ev.op == keepSlot {
				v.Nil, v.Detail = true, "another one"
			}
			list = append(list, v)
		}
	}
	return list
}

// droppable says how sure a removal can be, by its shape alone.
func (k *keepScan) droppable(h *held, ev *keepEvent) (report.Tier, bool) {
	if isTestFunc(top(ev.fn)) || ev.within != nil || ev.fact != nil || ev.quiet {
		return 0, false
	}
	got, ok := k.elem(ev.typ)
	if ev.typ == nil {
		got, ok = k.elemOfAdds(h)
	}
	if !ok || got.open && len(h.adds) == 0 {
		return 0, false
	}
	switch ev.op {
	case keepDrop, keepClear, keepFilter:
		if k.holdsElement(ev, h) || k.keyHeld(ev) {
			return 0, false // the caller has the element: it is only taken off the list
		}
		if k.callerReleases(h, ev) || k.shifts(ev) {
			return 0, false
		}
		if ev.what == "receive" && !unused(ev.at) {
			return 0, false // who receives it may only borrow it
		}
		if ev.what == "the assignment" && !k.replaces(ev) {
			return report.Possible, true
		}
		return report.Likely, true
	case keepSlot:
		if got.open {
			return 0, false // who writes the container cannot know
		}
		if ev.ref.base != nil && k.fresh(ev.ref.base) || k.filling(ev) {
			return 0, false // a constructor
		}
		return k.overwriteTier(ev), true
	case keepAdd:
		if strings.HasPrefix(ev.what, "Map.") && (k.lookedUp(ev) || k.takenBefore(h, ev)) {
			return 0, false // only if it is not there
		}
		if got.open || ev.slice || ev.key == nil || ev.set || ev.ref.base != nil && k.fresh(ev.ref.base) {
			return 0, false
		}
		if k.keyOf(ev.key) == keyChanging || k.filling(ev) {
			return 0, false // a key that was not there
		}
		if times, _ := k.often(ev); times == againNever {
			return 0, false
		}
		return k.overwriteTier(ev), true
	}
	return 0, false
}

// takenBefore reports whether a helper takes elements out before ev puts one
// in: what the helper does with them is judged there.
//
//	c.drop(name) // v, ok := c.m.LoadAndDelete(name)
//	c.m.Store(name, kept)
func (k *keepScan) takenBefore(h *held, ev *keepEvent) bool {
	for _, b := range ev.fn.Blocks {
		if !b.Dominates(ev.at.Block()) {
			continue
		}
		for _, in := range b.Instrs {
			if in == ev.at {
				return false
			}
			call, ok := in.(*ssa.Call)
			if !ok || call.Call.StaticCallee() == nil {
				continue
			}
			callee := call.Call.StaticCallee()
			if slices.ContainsFunc(h.events, func(o *keepEvent) bool {
				return o.fn == callee && (o.op == keepDrop || o.op == keepClear)
			}) {
				return true
			}
		}
	}
	return false
}

// putWords begin the names of functions that put something where something may
// be already.
var putWords = []string{"put", "set", "store", "update", "replace", "refresh", "cache", "save", "insert", "swap", "push", "write", "assign", "reset", "rotate", "advance", "record"}

func (k *keepScan) overwriteTier(ev *keepEvent) report.Tier {
	if ev.op == keepSlot && countsUp(ev.fn, ev.key) {
		return report.Possible // list[n] = x; n++: the next free place
	}
	words := nameWords(top(ev.fn).Name())
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(putWords, w) || slices.Contains(stepWords, w) }) {
		return report.Likely
	}
	if ev.op == keepSlot && k.wraps(ev.key) {
		return report.Likely // a ring
	}
	return report.Possible
}

// wraps reports whether an index goes around: head, head % n.
func (k *keepScan) wraps(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.BinOp:
		return x.Op == token.REM || x.Op == token.AND || k.wraps(x.X)
	case *ssa.Convert:
		return k.wraps(x.X)
	case *ssa.UnOp:
		fa, ok := x.X.(*ssa.FieldAddr)
		if g, isGlobal := x.X.(*ssa.Global); isGlobal {
			return g.Name() != ""
		}
		return ok && fieldName(fa.X.Type(), fa.Field) != ""
	}
	return false
}

// filling reports whether an index or key counts the turns of a loop.
func (k *keepScan) filling(ev *keepEvent) bool {
	fi := k.e.info(ev.fn)
	for _, l := range fi.loops {
		if l.contains(ev.at.Block()) && fi.inductive(l, ev.key) {
			return true
		}
	}
	if x, ok := ev.key.(*ssa.Extract); ok {
		_, next := x.Tuple.(*ssa.Next)
		return next // for name := range config
	}
	return false
}

// replaces reports whether an assignment empties the container, or stands in a
// function that is named like one that runs again.
func (k *keepScan) replaces(ev *keepEvent) bool {
	var v ssa.Value
	switch at := ev.at.(type) {
	case *ssa.Store:
		v = at.Val
	case *ssa.MapUpdate:
		v = at.Value
	}
	switch v.(type) {
	case *ssa.Const, *ssa.MakeMap, *ssa.MakeSlice:
		words := nameWords(top(ev.fn).Name())
		return len(words) == 0 || !slices.Contains(setupWords, words[0])
	}
	name := strings.ToLower(top(ev.fn).Name())
	for _, w := range againWords {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// unused reports whether nobody looks at what was received.
func unused(in ssa.Instruction) bool {
	if sel, ok := in.(*ssa.Select); ok {
		for _, ref := range *sel.Referrers() {
			if x, ok := ref.(*ssa.Extract); ok && x.Index > 1 && !unused(x) {
				return false
			}
		}
		return true
	}
	v, ok := in.(ssa.Value)
	if !ok || v.Referrers() == nil {
		return true
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			if ref.Index == 0 && !unused(ref) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// holdsElement reports whether the function, or the method's receiver, is
// itself given an element.
func (k *keepScan) holdsElement(ev *keepEvent, h *held) bool {
	if load, ok := ev.key.(*ssa.UnOp); ok {
		// delete(s.models, model.ID): model is at hand.
		if fa, ok := load.X.(*ssa.FieldAddr); ok {
			for _, add := range append([]*keepEvent{ev}, h.adds...) {
				if add.typ != nil && types.Identical(deref(fa.X.Type()), deref(add.typ)) && !k.elementOf(fa.X, ev.ref.place) {
					return true
				}
			}
		}
	}
	for _, p := range top(ev.fn).Params {
		for _, add := range append([]*keepEvent{ev}, h.adds...) {
			if add.typ != nil && types.Identical(deref(p.Type()), deref(add.typ)) {
				if _, basic := add.typ.Underlying().(*types.Basic); !basic {
					return true
				}
			}
		}
	}
	return false
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return types.Unalias(t)
}

// keyHeld reports whether the key of a set is handed in: the caller has the
// handle itself.
func (k *keepScan) keyHeld(ev *keepEvent) bool {
	if !ev.set || ev.key == nil {
		return false
	}
	_, isParam := k.origin(ev.key).(*ssa.Parameter)
	return isParam
}

// callerReleases reports whether a caller of the function that removes releases
// elements of the container.
func (k *keepScan) callerReleases(h *held, ev *keepEvent) bool {
	for _, c := range k.callersOf(top(ev.fn)) {
		fn := top(c.Parent())
		if fn != top(ev.fn) && slices.Contains(h.released, fn) {
			return true
		}
	}
	return false
}

// owns reports evidence that the container owns its elements.
func (k *keepScan) owns(h *held) bool {
	if len(h.released) > 0 {
		return true
	}
	for _, ev := range h.events {
		if ev.op != keepAdd && ev.op != keepSlot {
			continue
		}
		val := k.value(ev.elem)
		if val.source != fromAcquire || k.releasedToo(val, ev) || k.tracked(ev, val) {
			continue
		}
		return true
	}
	return false
}

// tracked reports whether what is put in is also returned, by a function that
// makes a new one every time: the caller owns it, the container is a list of
// what is alive.
func (k *keepScan) tracked(ev *keepEvent, val keepValue) bool {
	for _, b := range ev.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, r := range ret.Results {
			if k.origin(r) == k.origin(ev.elem) || k.value(r).handle == val.handle && val.handle != nil {
				if !k.e.sometimesBorrowed(ev.fn, i) && !k.lookedUp(ev) {
					return true
				}
			}
		}
	}
	return false
}

func (k *keepScan) elemOfAdds(h *held) (keepElem, bool) {
	for _, ev := range h.adds {
		if got, ok := k.elem(ev.typ); ok && !got.open {
			return got, true
		}
	}
	return keepElem{}, false
}

// classOf is the class of what an event is about.
func (k *keepScan) classOf(h *held, ev *keepEvent) Class {
	if ev.typ != nil {
		if got, ok := k.elem(ev.typ); ok && got.class.Name != "" {
			return got.class
		}
	}
	for _, add := range h.events {
		if add.op != keepAdd && add.op != keepSlot {
			continue
		}
		if got, ok := k.elem(add.typ); ok && got.class.Name != "" {
			return got.class
		}
		if val := k.value(add.elem); val.source == fromAcquire {
			return val.class
		}
	}
	if ev.ref.base == nil || len(h.released) == 0 {
		return Class{}
	}
	// A bare pointer that somebody releases.
	if named := namedOf(ev.ref.base.Type()); named != nil {
		return k.e.fieldClass(named, h.obj.Name(), nil)
	}
	return Class{}
}
