// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// training reports loops that compute gradients and take steps, and never set
// the gradients to zero, or add the gradients of several batches up without
// dividing.
func (h *habits) training(fn *ssa.Function) []Verdict {
	var list []Verdict
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok || !does(h.callModel(&call.Call), rules.OpStep) {
			return
		}
		if m := h.callModel(&call.Call); does(m, rules.OpZeroGrad) {
			return // does all of it
		}
		t, ok := h.stepLoop(fn, call)
		if !ok {
			return // no loop in sight takes this step
		}
		ops, seen := h.opsIn(t)
		switch {
		case !ops.has(rules.OpBackward):
			return // the gradients come from elsewhere
		case !ops.has(rules.OpZeroGrad):
			if seen {
				list = append(list, h.stepVerdict(NeverZeroed, fn, call))
			}
			return
		}
		if h.unscaled(fn, call) {
			list = append(list, h.stepVerdict(NotAveraged, fn, call))
		}
	})
	return list
}

func (h *habits) stepVerdict(k Kind, fn *ssa.Function, call *ssa.Call) Verdict {
	return Verdict{
		Kind: k, Tier: report.Likely, Pos: h.callPos(call), End: h.callEnd(call),
		Callee: h.forwardName(call), Function: funcName(fn), Class: Class{Noun: "gradients"},
	}
}

// stepLoop finds the outermost loop that takes a step: around it, or, where fn
// is one step of training, around the call of fn.
func (h *habits) stepLoop(fn *ssa.Function, call *ssa.Call) (turn, bool) {
	if inTest(fn) {
		return turn{}, false // a few steps that a test knows about
	}
	if t, ok := h.turnOf(call.Block()); ok {
		return t.outermost(), true
	}
	var found turn
	for _, in := range h.callsOf(fn) {
		t, ok := h.turnOf(in.Block())
		if !ok || topOf(in.Parent()) == fn || inTest(in.Parent()) {
			continue
		}
		if ops, _ := h.opsIn(t.outermost()); ops.has(rules.OpZeroGrad) {
			return turn{}, false // zeroed around the step
		}
		found = t.outermost()
	}
	return found, found.loop != nil
}

// outermost widens a turn to the outermost loop of the function.
func (t turn) outermost() turn {
	for _, l := range t.fi.loops {
		if l.contains(t.at) && l.contains(t.loop.head) && !t.loop.contains(l.head) {
			t.loop = l
		}
	}
	return t
}

func topOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// opsIn collects the operations of a loop: of its blocks, of literals made in
// the function, and of what they call.
func (h *habits) opsIn(t turn) (ops opSet, complete bool) {
	complete = true
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok {
				ops, complete = h.addOps(call.Common(), ops, complete)
			}
		}
	}
	for _, lit := range t.fi.fn.AnonFuncs {
		more, all := h.opsOf(lit)
		ops |= more
		complete = complete && all
	}
	return ops, complete
}

// opsOf collects the operations of fn and of the functions of the package that
// it calls. It is not complete if an optimizer goes to where it cannot be seen.
func (h *habits) opsOf(fn *ssa.Function) (ops opSet, complete bool) {
	if got, ok := h.reach[fn]; ok {
		return got.ops, got.complete
	}
	h.reach[fn] = reachable{0, true} // recursion
	ops, complete = h.scan(fn), true
	eachCall(fn, func(in ssa.CallInstruction) {
		ops, complete = h.addOps(in.Common(), ops, complete)
	})
	h.reach[fn] = reachable{ops, complete}
	return ops, complete
}

func (h *habits) addOps(c *ssa.CallCommon, ops opSet, complete bool) (opSet, bool) {
	if m := h.callModel(c); m != nil {
		for _, eff := range m.Effects {
			ops |= 1 << eff.Op
		}
		return ops, complete
	}
	if callee := h.localCallee(c); callee != nil {
		if callee.Parent() != nil {
			return ops, complete // with the function around it
		}
		more, all := h.opsOf(callee)
		return ops | more, complete && all
	}
	if _, isBuiltin := c.Value.(*ssa.Builtin); isBuiltin || literalOf(c.Value) != nil || h.borrowsNumbers(c) {
		return ops, complete
	}
	// A callback, an interface of the user's, another package.
	return ops, complete && !h.mayTrain(c)
}

type reachable struct {
	ops      opSet
	complete bool
}

// mayTrain reports whether a call that cannot be seen could zero gradients: it
// gets something that steps are taken with, or is a function value that may
// have captured it.
func (h *habits) mayTrain(c *ssa.CallCommon) bool {
	if !c.IsInvoke() && c.StaticCallee() == nil {
		return true // a func value
	}
	for _, v := range operands(c) {
		n := namedOf(v.Type())
		if n == nil {
			continue
		}
		for i := range n.NumMethods() {
			if does(h.model(n.Method(i)), rules.OpZeroGrad) && !does(h.model(n.Method(i)), rules.OpBackward) {
				return true
			}
		}
		if n.Obj().Pkg() == h.pass.Pkg {
			return true // an object of the user's that may hold it
		}
	}
	return false
}

// unscaled reports whether a step is taken every n-th turn of a loop that adds
// gradients up in each, and nothing divides the loss.
//
//	loss.MustBackward()
//	if (i+1)%n == 0 {
//		opt.Step()
//		opt.ZeroGrad()
//	}
func (h *habits) unscaled(fn *ssa.Function, step *ssa.Call) bool {
	t, ok := h.turnOf(step.Block())
	if !ok || !h.everyNth(t) {
		return false
	}
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) || !h.dominatesGuard(t, b) {
			continue
		}
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			m := h.callModel(&call.Call)
			if m == nil || does(m, rules.OpStep) {
				continue
			}
			for _, eff := range m.Effects {
				if eff.Op != rules.OpBackward {
					continue
				}
				if v := h.placeOf(&call.Call, eff.Place); v != nil {
					return h.neverScaled(v, map[ssa.Value]bool{})
				}
			}
		}
	}
	return false
}

// everyNth reports whether a remainder decides about t.at.
func (h *habits) everyNth(t turn) bool {
	for b := t.at.Idom(); b != nil && t.loop.contains(b); b = b.Idom() {
		in, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := in.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		for _, x := range []ssa.Value{bin.X, bin.Y} {
			if rem, ok := x.(*ssa.BinOp); ok && rem.Op == token.REM {
				return true
			}
		}
	}
	return false
}

// dominatesGuard reports whether b runs in every turn, before the guard.
func (h *habits) dominatesGuard(t turn, b *ssa.BasicBlock) bool {
	return b.Dominates(t.at) && b != t.at
}

// neverScaled reports whether a loss comes from its forward call through
// nothing but operations that can be seen and that scale nothing.
func (h *habits) neverScaled(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Extract:
		return h.neverScaled(v.Tuple, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !h.neverScaled(e, seen) {
				return false
			}
		}
		return true
	case *ssa.Call:
		m := h.callModel(&v.Call)
		if m == nil {
			return len(h.gradResults(&v.Call)) > 0 // a module of the user's, or who knows
		}
		name := strings.TrimPrefix(h.callBase(&v.Call), "Must")
		for _, w := range []string{"Div", "Mul", "TrueDivide", "FloorDivide", "Scale", "Lerp"} {
			if strings.HasPrefix(name, w) {
				return false
			}
		}
		if does(m, rules.OpGrad) {
			return true
		}
		ops := operands(&v.Call)
		return len(ops) > 0 && h.neverScaled(ops[0], seen)
	}
	return false
}
