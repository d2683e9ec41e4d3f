// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// funcs reports function literals that are kept for good with a resource that
// they captured: callbacks that are registered with every call.
//
//	hooks = append(hooks, func() { log(t.Shape()) })
//
// A literal that releases what it captured is a clean-up, and somebody runs it.
func (k *keepScan) funcs() []Verdict {
	var list []Verdict
	for _, h := range k.kept {
		if all := k.held[h.keepPlace]; all != nil {
			h.events = append(h.events, all.events...)
		}
		if k.everTaken(h) {
			continue
		}
		for _, ev := range h.adds {
			hold, ok := k.captures(ev.elem)
			if !ok || k.bounded(ev) || isTestFunc(top(ev.fn)) {
				continue
			}
			times, _ := k.often(ev)
			if times == againNever || ev.key != nil && !ev.slice && k.keyOf(ev.key) == keyFixed {
				continue // registered while things are set up
			}
			if h.cell != nil && !k.cellLives(h.cell) {
				continue
			}
			tier := report.Likely
			if h.obj != nil && h.obj.Exported() && k.e.pass.Pkg.Name() != "main" && (h.obj.IsField() || !hold.acquired) || h.obj != nil && h.obj.IsField() && times != againOften && !hoarded(h) {
				tier = report.Possible // others may empty it, or its object is short-lived
			}
			list = append(list, Verdict{
				Kind: HeldOn, Tier: tier, Class: hold.class, Function: funcName(ev.fn), Pos: k.pos(ev.at), Acquired: k.pos(ev.at), Name: h.name,
				Detail: fmt.Sprintf("a func that holds %s is kept in %s, from which nothing ever takes it: take it out when its work is done", hold, h.name),
			})
		}
	}
	return list
}

func hoarded(h *held) bool {
	return hasWord(h.name, []string{"hook", "callback", "handler", "listener", "observer", "subscriber", "pending", "queue", "deferred"})
}

// funcEvent notes a literal that is put into a container.
func (k *keepScan) funcEvent(ev *keepEvent) bool {
	if _, ok := k.captures(ev.elem); !ok {
		return false
	}
	h := k.funcHeld[ev.ref.place]
	if h == nil {
		h = &held{keepPlace: ev.ref.place, name: k.placeName(ev)}
		k.funcHeld[ev.ref.place] = h
		k.kept = append(k.kept, h)
	}
	h.adds = append(h.adds, ev)
	h.events = append(h.events, ev)
	return true
}

// captures finds a resource that a literal captured and does not release.
func (k *keepScan) captures(v ssa.Value) (keepHold, bool) {
	mc, ok := k.literal(v)
	if !ok || mc.Fn.(*ssa.Function).Object() != nil {
		return keepHold{}, false // a bound method: of an object that others hold
	}
	fn := mc.Fn.(*ssa.Function)
	for i, b := range mc.Bindings {
		t := b.Type()
		a, isCell := b.(*ssa.Alloc)
		if isCell && a.Heap {
			t = elem(t)
		}
		got, ok := k.elem(t)
		val := k.value(b)
		if ok && got.raw && val.source == fromAcquire {
			got.class = val.class
		}
		if !ok || got.class.Name == "" || got.class.Owner && got.path != "" {
			continue
		}
		if p, isParam := k.origin(b).(*ssa.Parameter); isParam && fn.Parent() != nil && top(fn).Signature.Recv() != nil && p == top(fn).Params[0] {
			continue // the object's own callback
		}
		if k.releasedLater(fn.FreeVars[i], mc, map[ssa.Value]bool{}) || k.releasedLater(b, mc, map[ssa.Value]bool{}) {
			return keepHold{}, false
		}
		return keepHold{class: got.class, name: valueOrCell(b), v: b, acquired: val.source == fromAcquire}, true
	}
	return keepHold{}, false
}

func (k *keepScan) literal(v ssa.Value) (*ssa.MakeClosure, bool) {
	for {
		switch x := v.(type) {
		case *ssa.MakeClosure:
			return x, true
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		default:
			return nil, false
		}
	}
}
