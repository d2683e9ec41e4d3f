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

// grown reports containers from which nothing is ever taken (Kept), and those
// that grow with every step even if their owner empties them in the end
// (Grows).
//
// What tells the rules apart: Grows needs a reason in sight why it happens
// without end: an endless loop, a request handler, a method that is one step of
// the work, a key that is different each time. Kept needs none, but there
// must be no release of the elements anywhere. A container with a release and no
// such reason is an ordinary owner.
func (k *keepScan) grown() []Verdict {
	var list []Verdict
	k.pairUp()
	for _, h := range k.order {
		list = append(list, k.stays(h)...)
		if len(h.adds) == 0 {
			continue
		}
		if k.everTaken(h) {
			list = append(list, k.sizedPool(h)...)
			continue
		}
		told := map[*ssa.Function]bool{}
		for _, ev := range h.adds {
			if told[top(ev.fn)] {
				continue
			}
			if v, ok := k.judgeAdd(h, ev); ok {
				told[top(ev.fn)] = true
				k.told[h.keepPlace] = k.told[h.keepPlace] || v.Tier >= report.Likely
				list = append(list, v)
			}
		}
	}
	return list
}

// pairUp finds containers that get the same values: an index beside the list
// that owns. What is known of one holds for the other.
func (k *keepScan) pairUp() {
	k.twins = map[*held][]*held{}
	by := map[ssa.Value][]*held{}
	for _, h := range k.order {
		for _, ev := range h.adds {
			v := k.value(ev.elem).handle
			if v == nil || slices.Contains(by[v], h) {
				continue
			}
			for _, other := range by[v] {
				k.twins[h] = append(k.twins[h], other)
				k.twins[other] = append(k.twins[other], h)
			}
			by[v] = append(by[v], h)
		}
	}
}

// everTaken reports whether some code takes elements out while the container
// lives on.
func (k *keepScan) everTaken(h *held) bool {
	for _, x := range append([]*held{h}, k.twins[h]...) {
		if x.away.Taken {
			return true // another package does
		}
		for _, ev := range x.events {
			switch ev.op {
			case keepDrop, keepClear, keepFilter:
				if !k.endOfLife(x, ev) && !k.finalizes(ev) {
					return true
				}
			}
		}
	}
	return false
}

// endOfLife reports whether a removal is part of the owner's own end: its
// Close also clears what it has released.
func (k *keepScan) endOfLife(h *held, ev *keepEvent) bool {
	name := top(ev.fn).Name()
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "close", "destroy", "shutdown", "dispose", "finalize", "stop", "terminate", "teardown", "exit", "quit":
		return ev.op == keepClear || k.inRange(ev)
	case "free", "release", "unload", "cleanup", "delete", "drop":
		// Release() of the whole, not ReleaseOne(key).
		return (ev.op == keepClear || k.inRange(ev)) && top(ev.fn).Signature.Params().Len() == 0
	}
	return false
}

// inRange reports whether a removal stands in a loop over the container.
func (k *keepScan) inRange(ev *keepEvent) bool {
	return k.e.info(ev.fn).inner.has(ev.at.Block().Index)
}

// finalizes reports a removal that cannot happen: it is the finalizer of the
// very object that is the key, which the container itself keeps alive.
//
//	runtime.SetFinalizer(face, cache.clear)     cache.m[face] = ...
func (k *keepScan) finalizes(ev *keepEvent) bool {
	if ev.key == nil {
		return false
	}
	if _, ok := ev.key.Type().Underlying().(*types.Pointer); !ok && !types.IsInterface(ev.key.Type()) {
		return false
	}
	fn := ev.fn
	if len(k.callersOf(top(fn))) > 0 {
		return false
	}
	for _, f := range k.e.funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				name := stdCallee(call.Common(), "runtime")
				if name != "SetFinalizer" && name != "AddCleanup" {
					continue
				}
				for _, a := range call.Common().Args {
					if mi, ok := a.(*ssa.MakeInterface); ok {
						a = mi.X
					}
					if g := keepLiteral(a); g != nil && (g == fn || boundOf(g, k.e) == top(fn)) {
						return true
					}
				}
			}
		}
	}
	return false
}

// judgeAdd decides about one insertion.
func (k *keepScan) judgeAdd(h *held, ev *keepEvent) (Verdict, bool) {
	var none Verdict
	got, ok := k.elem(ev.typ)
	if !ok || got.open {
		return none, false // cannot hold a resource, or nobody knows
	}
	val := k.value(ev.elem)
	class := got.class
	if val.source == fromAcquire && !class.Owner || class.Name == "" {
		class = val.class
	}
	switch {
	case class.Name == "":
		return none, false // a bare pointer that nothing says was acquired
	case val.source == fromPlace || val.source == fromConstant:
		return none, false // moved or indexed, and owned elsewhere
	case got.raw && val.source != fromAcquire:
		return none, false // a bare pointer from who knows where
	case k.bounded(ev):
		return none, false
	case k.releasedToo(val, ev):
		return none, false // whoever puts it in releases it
	case isTestFunc(top(ev.fn)):
		return none, false
	}
	times, per := k.often(ev)
	key := keyNeutral
	if ev.key != nil && !ev.slice {
		key = k.keyOf(ev.key)
	}
	if times == againNever && key != keyChanging {
		return none, false // filled while it is built
	}
	if key == keyFixed && times != againOften {
		return none, false // one for each name in a configuration
	}
	if h.cell != nil && !k.cellLives(h.cell) {
		return none, false // a local variable: gone with its function
	}
	if base := ev.ref.base; base != nil && class.Name != "" {
		if c := k.e.classOfType(base.Type()); c != nil && c.Name == class.Name {
			return none, false // what refers back to the object that it is part of
		}
	}
	empties := len(h.released) > 0 || k.twinReleased(h) || k.emptiedAway(h, ev)
	v := Verdict{
		Kind: Kept, Tier: report.Likely, Class: class, Callee: val.name, Function: funcName(ev.fn),
		Pos: k.pos(ev.at), Name: h.name, Detail: per,
	}
	if ev.outer.place != (keepPlace{}) {
		v.Name = k.placeName(&keepEvent{ref: ev.outer})
	}
	v.Acquired = v.Pos
	if val.call != nil {
		v.Acquired = k.e.callPos(val.call)
	}
	switch {
	case times == againOften:
		v.Kind = Grows
	case key == keyChanging && k.lookedUp(ev):
		v.Kind, v.Detail = Grows, "new key"
	}
	switch {
	case empties && v.Kind != Grows:
		return none, false // an owner that is emptied by its Close
	case empties && ev.key != nil && !ev.slice && k.lookedUp(ev) && (key != keyChanging || isInt(ev.key)):
		return none, false // one for each size or name that comes up, until Close
	case h.escapes && !empties && v.Kind != Grows:
		return none, false // somebody else may empty it
	case key == keyFixed:
		return none, false
	}
	v.Tier = min(v.Tier, k.sureness(h, ev, val, empties))
	return v, true
}

// sureness lowers the tier where another package may take elements out, and
// where the container may only borrow them.
func (k *keepScan) sureness(h *held, ev *keepEvent, val keepValue, empties bool) report.Tier {
	foreign := h.obj != nil && h.obj.Exported() && k.e.pass.Pkg.Name() != "main"
	switch {
	case k.foreignTier(h, ev) < report.Likely:
		return report.Possible // others can reach it, and this package is not the top
	case foreign && h.obj.IsField():
		return report.Possible // other packages can reach it
	case foreign && val.source != fromAcquire:
		return report.Possible
	case h.escapes:
		return report.Possible
	case val.source == fromParam && h.obj != nil && h.obj.IsField() && !k.hoards(h, ev):
		return report.Possible // what is collected for a call, say
	}
	return report.Likely
}

// hoardWords are in the names of containers that are meant to keep things.
var hoardWords = []string{
	"cache", "history", "seen", "kept", "keep", "log", "past", "saved", "archive", "record", "memo", "store", "registry", "recent", "previous", "all",
	"trace", "retained", "pinned", "live", "results", "outputs", "states", "activations", "snapshots",
}

// hoards reports evidence that a field is there to keep what it is given: its
// name, a key, or that nobody reads the elements.
func (k *keepScan) hoards(h *held, ev *keepEvent) bool {
	if ev.key != nil && !ev.slice {
		return true
	}
	for _, w := range nameWords(h.obj.Name()) {
		if slices.ContainsFunc(hoardWords, func(x string) bool { return strings.HasPrefix(w, x) }) {
			return true
		}
	}
	return false
}

func (k *keepScan) twinReleased(h *held) bool {
	for _, x := range k.twins[h] {
		if len(x.released) > 0 || x.escapes {
			return true
		}
	}
	return false
}

// lookedUp reports the get-or-make shape: the same container is asked for the
// key before it gets a new element.
func (k *keepScan) lookedUp(ev *keepEvent) bool {
	for _, b := range ev.fn.Blocks {
		if !b.Dominates(ev.at.Block()) {
			continue
		}
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Lookup:
				if ref, ok := k.container(in.X); ok && ref.place == ev.ref.place {
					return true
				}
			case *ssa.Call:
				if name := stdCallee(&in.Call, "sync"); name == "Map.Load" || name == "Map.LoadOrStore" || ev.fact != nil && k.asks(in, ev) {
					if ref, ok := k.container(in.Call.Args[0]); ok && ref.place == ev.ref.place {
						return true
					}
				}
			}
		}
	}
	return false
}

// cellLives reports whether a captured local variable outlives its function: a
// literal that uses it is returned or stored, or runs in an endless goroutine,
// or the function itself never ends.
func (k *keepScan) cellLives(a *ssa.Alloc) bool {
	for _, ref := range *a.Referrers() {
		mc, ok := ref.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		if k.outlives(mc) {
			return true
		}
		for _, r := range *mc.Referrers() {
			if g, ok := r.(*ssa.Go); ok && g.Call.Value == mc && k.neverEnds(mc.Fn.(*ssa.Function)) {
				return true
			}
		}
	}
	return false
}

// neverEnds reports whether a function has no way to its end.
func (k *keepScan) neverEnds(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && (b.Index == 0 || len(b.Preds) > 0) {
			return false
		}
	}
	return true
}

// pos is where an event is reported.
func (k *keepScan) pos(in ssa.Instruction) token.Pos {
	if call, ok := in.(*ssa.Call); ok {
		return k.e.callPos(call)
	}
	if in.Pos().IsValid() {
		return in.Pos()
	}
	return top(in.Parent()).Pos()
}
