// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// disorder is a parent's release with what its child is needed for afterwards.
type disorder struct {
	parent ssa.CallInstruction
	class  Class // of the parent
	child  ssa.CallInstruction
	used   bool // the child is used, not released
	what   Class
}

// orderRun walks the paths of one function for one kinship. What it remembers
// of a path is whether the child is there, which release made it an orphan, and
// the deferred calls: few states, so that every path is walked.
type orderRun struct {
	h     *habits
	k     *kinship
	found []disorder
	steps int

	stands ssa.CallInstruction // the statement whose C call is being walked
}

type orphan uint8

const (
	unbornChild orphan = iota
	child
	orphaned
)

type orderState struct {
	is     orphan
	by     ssa.CallInstruction
	class  Class
	defers []ssa.CallInstruction
}

// orderBudget bounds the walk, in instructions; beyond it nothing is said.
const orderBudget = 8000

func (h *habits) disorder(fn *ssa.Function, k *kinship) []disorder {
	r := &orderRun{h: h, k: k}
	start := orderState{}
	if k.birth == nil {
		start.is = child
	}
	r.exec(fn, []orderState{start}, 0)
	if r.steps > orderBudget {
		return nil // not every path was walked
	}
	return r.found
}

// exec walks fn from its entry and returns the states at its returns.
func (r *orderRun) exec(fn *ssa.Function, in []orderState, depth int) []orderState {
	type item struct {
		b  *ssa.BasicBlock
		st orderState
	}
	var out []orderState
	seen := map[*ssa.BasicBlock][]orderState{}
	var queue []item
	push := func(b *ssa.BasicBlock, st orderState) {
		if !slices.ContainsFunc(seen[b], st.same) {
			seen[b] = append(seen[b], st)
			queue = append(queue, item{b, st})
		}
	}
	for _, st := range in {
		push(fn.Blocks[0], st)
	}
	for len(queue) > 0 && r.steps <= orderBudget {
		w := queue[0]
		queue = queue[1:]
		states := []orderState{w.st}
		for _, in := range w.b.Instrs {
			r.steps++
			states = r.instr(in, states, depth)
		}
		if _, ok := w.b.Instrs[len(w.b.Instrs)-1].(*ssa.Return); ok {
			out = append(out, states...)
			continue
		}
		for _, s := range w.b.Succs {
			for _, st := range states {
				push(s, st)
			}
		}
	}
	return out
}

func (s orderState) same(t orderState) bool {
	return s.is == t.is && s.by == t.by && slices.Equal(s.defers, t.defers)
}

func (r *orderRun) instr(in ssa.Instruction, states []orderState, depth int) []orderState {
	switch in := in.(type) {
	case *ssa.Call:
		return r.call(in, states, depth)
	case *ssa.Defer:
		if !r.matters(in.Common(), 0) {
			return states
		}
		for i, st := range states {
			if !slices.Contains(st.defers, ssa.CallInstruction(in)) {
				states[i].defers = append(slices.Clip(st.defers), in)
			}
		}
	case *ssa.RunDefers:
		var out []orderState
		for _, st := range states {
			defers := st.defers
			st.defers = nil
			cur := []orderState{st}
			for i := len(defers) - 1; i >= 0; i-- {
				if in.Parent() != defers[i].Parent() {
					continue // of the function around the literal
				}
				cur = r.call(defers[i], cur, depth)
			}
			out = append(out, cur...)
		}
		return out
	case *ssa.Panic:
		return nil
	}
	return states
}

// call applies a call to each state.
func (r *orderRun) call(in ssa.CallInstruction, states []orderState, depth int) []orderState {
	c := in.Common()
	if body := bodyOf(c); body != nil && len(body.Blocks) > 0 && depth < maxInline {
		if _, made := c.Value.(*ssa.Call); made || isCgoWrapper(body) {
			defer func(old ssa.CallInstruction) { r.stands = old }(r.stands)
			r.stands = in // the user wrote the C call here
		}
		var out []orderState
		for _, st := range states {
			defers := st.defers
			st.defers = nil
			for _, res := range r.exec(body, []orderState{st}, depth+1) {
				res.defers = defers
				out = append(out, res)
			}
		}
		return out
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		if r.h.noReturn(&invocation{obj: obj, callee: fn, common: c}) {
			return nil
		}
	}
	ev := r.event(in)
	at := in
	if r.stands != nil {
		at = r.stands
	}
	for i := range states {
		r.apply(&states[i], ev, at)
	}
	return states
}

// An event is what a call does to the kinship.
type event struct {
	born      bool // the child begins
	renewed   bool // the parent in force begins anew
	childEnds bool
	childUsed bool
	ends      bool // the parent ends
	class     Class
	what      Class // class of the child, where the parent is in force
}

func (ev event) any() bool {
	return ev.born || ev.renewed || ev.childEnds || ev.childUsed || ev.ends
}

func (r *orderRun) apply(st *orderState, ev event, in ssa.CallInstruction) {
	if st.is == orphaned && (ev.childEnds || ev.childUsed) && !ev.ends {
		r.found = append(r.found, disorder{parent: st.by, class: st.class, child: in, used: !ev.childEnds, what: ev.what})
		st.is, st.by = unbornChild, nil
	}
	if ev.childEnds && r.k.ambient == "" {
		st.is, st.by = unbornChild, nil
	}
	if ev.ends && st.is == child {
		st.is, st.by, st.class = orphaned, in, ev.class
	}
	if ev.renewed || ev.born {
		st.is, st.by = child, nil
	}
}

// matters reports whether a deferred call can concern the kinship.
func (r *orderRun) matters(c *ssa.CallCommon, depth int) bool {
	body := bodyOf(c)
	if body == nil {
		return r.eventOf(c).any()
	}
	found := false
	if depth < maxInline {
		eachCall(body, func(in ssa.CallInstruction) {
			found = found || r.matters(in.Common(), depth+1)
		})
	}
	return found
}

func (r *orderRun) event(in ssa.CallInstruction) event {
	ev := r.eventOf(in.Common())
	if call, ok := in.(*ssa.Call); ok && (r.k.birth == call || slices.Contains(r.k.renewals, call)) {
		ev.born = true
	}
	return ev
}

func (r *orderRun) eventOf(c *ssa.CallCommon) event {
	if r.k.ambient != "" {
		return r.ambientEvent(c)
	}
	var ev event
	for _, e := range r.h.endsOf(c) {
		if r.isAny(r.k.child, e.at) || r.isAny(r.k.child, e.in) {
			ev.childEnds = true
		}
		if r.isAny(r.k.parent, e.at) {
			ev.ends, ev.class = true, e.class
		}
	}
	if ev.childEnds || ev.ends || r.h.callModel(c) != nil && !uses(r.h.callModel(c)) {
		return ev
	}
	callee := r.h.localCallee(c)
	for i, v := range operands(c) {
		at, in := r.h.spotOf(v), r.h.containerOf(v)
		isChild, isParent := r.isAny(r.k.child, at) || r.isAny(r.k.child, in), r.isAny(r.k.parent, at)
		if !isChild && !isParent {
			continue
		}
		if releases, class := r.h.releasesArg(c, callee, i); releases {
			if isChild {
				ev.childEnds = true
			}
			if isParent {
				ev.ends, ev.class = true, class
			}
			continue
		}
		if isChild && (r.h.callModel(c) != nil || callee != nil || c.IsInvoke() || i == 0 && c.Signature().Recv() != nil) {
			ev.childUsed = true
		}
	}
	return ev
}

// uses reports whether a model does something with what it gets, other than
// looking at memory of the host.
func uses(m *rules.Func) bool {
	for _, eff := range m.Effects {
		if eff.Op != rules.OpView && eff.Op != rules.OpBorrow {
			return true
		}
	}
	return false
}

func (r *orderRun) isAny(list []spot, at spot) bool {
	for _, s := range list {
		if s.covers(at) {
			return true
		}
	}
	return false
}

// releasesArg reports whether a function of the package or of another one
// releases argument i or something inside it.
func (h *habits) releasesArg(c *ssa.CallCommon, callee *ssa.Function, i int) (bool, Class) {
	const ends = bitReleased | bitMoved
	class := Class{Noun: typeBase(operands(c)[i].Type()), Verb: participle(h.callBase(c))}
	if callee != nil && i < len(callee.Params) {
		for _, path := range append([]string{""}, h.paths(callee, i, callee.Params[i])...) {
			if eff := h.localEffect(callee, i, path); (eff.OK|eff.Err)&ends != 0 && (eff.OK|eff.Err)&bitUnknown == 0 {
				return true, class
			}
		}
		return false, class
	}
	fn := c.StaticCallee()
	if c.IsInvoke() {
		return i == 0 && releaseNames[c.Method.Name()], class
	}
	if fn == nil {
		return false, class
	}
	obj, _ := fn.Object().(*types.Func)
	if f := h.fact(obj); f != nil {
		for _, p := range f.Params {
			if p.Param == i && (p.OK|p.Err)&ends != 0 {
				return true, class
			}
		}
	}
	return false, class
}

// callBase is the bare name of a callee.
func (h *habits) callBase(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
}
