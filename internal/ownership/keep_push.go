// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// droppedAcross reports calls into another package's container that lose what
// it owns: a removal whose function does not release, and an insertion that
// pushes out what nobody gets to see.
//
//	s.cache.Delete(id)         nothing looks at the element
//	s.cache.Add(id, b)         a bounded cache without a func for what it evicts
//
// The element cannot be followed through the other package, so a removal counts
// only where neither its function nor those around it look at elements at all.
// What was read, and released only under some condition, is given up.
func (k *keepScan) droppedAcross() []Verdict {
	var list []Verdict
	for _, h := range k.order {
		if !h.beyond || h.escapes || len(k.twins[h]) > 0 || h.cell != nil && !k.cellLives(h.cell) || !k.ownsAcross(h) {
			continue
		}
		told := map[*ssa.Function]bool{}
		for _, ev := range h.events {
			if ev.fact == nil || told[top(ev.fn)] || isTestFunc(top(ev.fn)) || k.shared(h) {
				continue
			}
			class := k.classOf(h, ev)
			if class.Name == "" {
				continue
			}
			v := Verdict{
				Kind: Evicted, Tier: min(report.Likely, class.ceiling()), Pos: k.pos(ev.at), Class: class, Function: funcName(ev.fn),
				Name: k.placeName(ev), Detail: ev.what,
			}
			v.Acquired = v.Pos
			switch {
			case ev.op == keepAdd && k.pushesOut(h, ev):
				v.Kind = PushedOut
			case (ev.op == keepDrop || ev.op == keepClear) && k.losesAcross(h, ev):
			default:
				continue
			}
			told[top(ev.fn)] = true
			list = append(list, v)
		}
	}
	return list
}

// ownsAcross reports evidence that the container owns its elements: this package
// releases them somewhere, or it puts in what it has just acquired and nobody
// else gets.
func (k *keepScan) ownsAcross(h *held) bool { return k.owns(h) }

// shared reports whether other packages can reach the variable.
func (k *keepScan) shared(h *held) bool {
	return h.obj != nil && (h.obj.Exported() || h.obj.Pkg() != k.e.pass.Pkg) && k.e.pass.Pkg.Name() != "main"
}

// pushesOut reports whether an insertion may make the container drop another
// element, unreleased. A func that it was given may see to that.
func (k *keepScan) pushesOut(h *held, ev *keepEvent) bool {
	if !ev.fact.Evicts || ev.fact.Told {
		return false
	}
	if ev.fact.Calls && h.hooked || !h.sized {
		return false // a func sees to it; or no limit was set
	}
	if call, ok := ev.at.(ssa.CallInstruction); ok && slices.ContainsFunc(call.Common().Args, isNoLimit) {
		return false // Set(key, value, NoExpiration)
	}
	val := k.value(ev.elem)
	return val.source == fromAcquire && !k.releasedToo(val, ev) && !k.tracked(ev, val)
}

// losesAcross reports whether nobody around a removal looks at what is removed.
func (k *keepScan) losesAcross(h *held, ev *keepEvent) bool {
	switch {
	case ev.quiet:
		return false // by the way
	case ev.fact.Released:
		return false // it releases, or gives it to whom it was told to
	case ev.fact.Calls && h.hooked:
		return false
	case ev.fact.Told:
		return false // reported where it is
	case ev.takes:
		return false // whoever takes it out has it now
	case k.holdsElement(ev, h) || k.keyHeld(ev) || k.callerReleases(h, ev):
		return false // the caller has the element
	case k.endOfLife(h, ev) && len(h.released) == 0:
		return false // with the process
	}
	around := []*ssa.Function{top(ev.fn)}
	for _, c := range k.callersOf(top(ev.fn)) {
		around = append(around, top(c.Parent()))
	}
	for _, fn := range around {
		if slices.Contains(h.released, fn) || slices.Contains(h.gives, fn) || k.callsAny(fn, h.released) || k.callsAny(fn, h.gives) {
			return false
		}
	}
	for _, v := range h.reads {
		if slices.Contains(around, top(parentOf(v))) && !unusedValue(v) {
			return false
		}
	}
	return true
}

func parentOf(v ssa.Value) *ssa.Function {
	if in, ok := v.(ssa.Instruction); ok {
		return in.Parent()
	}
	return v.Parent()
}

func unusedValue(v ssa.Value) bool {
	in, ok := v.(ssa.Instruction)
	return ok && unused(in)
}

func isNoLimit(v ssa.Value) bool {
	_, isConst := v.(*ssa.Const)
	return isConst && isInt(v) && !isLimit(v)
}
