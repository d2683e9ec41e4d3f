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

// flushes reports the allocator's cache emptied in every turn of a hot loop
// (GM503). It is after the habit, not after the call: a flush that follows a
// failure, that a condition guards, or that separates phases is right.
func (h *habits) flushes(fn *ssa.Function) []Verdict {
	if inTest(fn) {
		return nil // a test repeats what it tests
	}
	var list []Verdict
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok {
			return // deferred: runs once, when the function ends
		}
		var through string
		switch m := h.callModel(&call.Call); {
		case does(m, rules.OpFlush):
			if h.keepsSome(&call.Call) {
				return // trims to a size: what the next turn needs stays
			}
		case m == nil:
			callee := h.localCallee(&call.Call)
			if callee == nil || callee.Parent() != nil {
				return // not a wrapper either; literals are looked into where they stand
			}
			if through = h.alwaysFlushes(callee); through == "" {
				return // does other things
			}
		default:
			return // a modelled call that flushes nothing
		}
		if !h.hot(call) {
			return
		}
		list = append(list, Verdict{
			Kind: FlushedInLoop, Tier: report.Likely, Pos: h.callPos(call), End: h.callEnd(call),
			Callee: h.sourceName(call), Function: funcName(fn), Other: through, Class: Class{Noun: "cache"},
		})
	})
	return list
}

// keepsSome reports whether a flush leaves a part of the cache alone: its size
// argument is not the constant zero. What is not constant is given the benefit.
func (h *habits) keepsSome(c *ssa.CallCommon) bool {
	sig := c.Signature()
	for i := 0; i < sig.Params().Len(); i++ {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			continue // options
		}
		if !isNumber(sig.Params().At(i).Type()) || i >= len(c.Args) {
			continue
		}
		a := c.Args[len(c.Args)-sig.Params().Len()+i]
		if k, ok := a.(*ssa.Const); !ok || !isZero(constVal(k)) {
			return true
		}
	}
	return false
}

// hot reports whether a call flushes in every ordinary turn of a loop that
// does the program's work.
func (h *habits) hot(call *ssa.Call) bool {
	t, ok := h.turnOf(call.Block())
	switch {
	case !ok:
		return false // between phases, or at the end
	case t.short():
		return false // a few turns: phases
	case t.waits():
		return false // a clock calls, not the work
	case h.aroundPhases(t, call):
		return false // each turn is a phase of its own
	}
	return h.everyTurn(t)
}

// everyTurn reports whether no ordinary turn gets by t.at. Turns that are cut
// short before the work, because there is nothing to do, do not count:
//
//	if img.Empty() { continue }
//	step(img)
//	flush()
func (h *habits) everyTurn(t turn) bool {
	if !t.ordinary(nil)[t.at] {
		return false // only after a failure
	}
	around := t.ordinary(t.at)
	for _, b := range t.fi.fn.Blocks {
		if !around[b] || !t.endsTurn(b) {
			continue
		}
		if !h.cutShort(t, b, around) {
			return false // a condition guards it
		}
	}
	return true
}

// cutShort reports whether every way round t.at to the block latch leaves the
// way to t.at where a call said that there is nothing to do, with work still to
// come on the other side.
func (h *habits) cutShort(t turn, latch *ssa.BasicBlock, around map[*ssa.BasicBlock]bool) bool {
	for _, b := range t.fi.fn.Blocks {
		if !around[b] || !b.Dominates(t.at) {
			continue
		}
		in, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !t.fi.reach[b.Index].has(latch.Index) {
			continue
		}
		leaves := false
		for _, s := range b.Succs {
			if s == t.loop.head || around[s] && !s.Dominates(t.at) {
				leaves = true
			}
		}
		if !leaves {
			continue
		}
		if _, asked := stripNot(in.Cond).(*ssa.Call); !asked || !h.workBetween(b, t.at) {
			return false
		}
	}
	return true
}

func stripNot(v ssa.Value) ssa.Value {
	for {
		u, ok := v.(*ssa.UnOp)
		if !ok || u.Op != token.NOT {
			return v
		}
		v = u.X
	}
}

// workBetween reports whether the blocks that dominate to, below from, call
// anything of the user's or of a library.
func (h *habits) workBetween(from, to *ssa.BasicBlock) bool {
	for b := to; b != nil && b != from; b = b.Idom() {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || does(h.callModel(&call.Call), rules.OpFlush) {
				continue
			}
			if h.localCallee(&call.Call) != nil || h.isModelled(&call.Call) {
				return true
			}
		}
	}
	return false
}

// aroundPhases reports whether a turn is a whole phase: it contains a loop that
// works on the device, or a function that does, or it loads and unloads a model.
func (h *habits) aroundPhases(t turn, flush *ssa.Call) bool {
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) {
			continue
		}
		inner := false
		for _, l := range t.fi.loops {
			inner = inner || l != t.loop && t.loop.contains(l.head) && l.contains(b) && !l.contains(t.at)
		}
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok || call == ssa.CallInstruction(flush) {
				continue
			}
			c := call.Common()
			if inner && h.works(c, 0) {
				return true
			}
			if fn := h.localCallee(c); fn != nil && h.loopsOverWork(fn, 0) {
				return true
			}
			if h.unloads(c) {
				return true
			}
		}
	}
	return false
}

// works reports whether a call reaches a modelled library, or something that
// cannot be seen and may: a step that is handed in, an interface.
func (h *habits) works(c *ssa.CallCommon, depth int) bool {
	if h.isModelled(c) || h.anyCode(c) {
		return true
	}
	fn := h.localCallee(c)
	if fn == nil || depth > 3 {
		return false
	}
	found := false
	eachCall(fn, func(in ssa.CallInstruction) {
		found = found || h.works(in.Common(), depth+1)
	})
	return found
}

// anyCode reports whether a call may work on the device without a model's
// saying so: a function of a modelled library, or any code of the program's
// through a function value or an interface.
func (h *habits) anyCode(c *ssa.CallCommon) bool {
	if fn := c.StaticCallee(); fn != nil && fn.Pkg != nil && h.models.Package(fn.Pkg.Pkg.Path()) {
		return true
	}
	if c.IsInvoke() {
		pkg := c.Method.Pkg()
		return pkg != nil && !isStd(pkg.Path())
	}
	if _, ok := c.Value.(*ssa.Builtin); ok || c.StaticCallee() != nil {
		return false
	}
	return literalOf(c.Value) == nil
}

// loopsOverWork reports whether fn has a loop that reaches a modelled library.
func (h *habits) loopsOverWork(fn *ssa.Function, depth int) bool {
	fi := h.info(fn)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if fi.inner.has(b.Index) && h.works(call.Common(), 0) {
				return true
			}
			if callee := h.localCallee(call.Common()); callee != nil && depth < 2 && h.loopsOverWork(callee, depth+1) {
				return true
			}
		}
	}
	return false
}

// Words in what messages call the things whose loading and unloading begins
// and ends a phase.
var phaseNouns = []string{"model", "session", "context", "engine", "network", "interpreter", "store", "backend", "module"}

// unloads reports whether a call releases a model or the like.
func (h *habits) unloads(c *ssa.CallCommon) bool {
	m := h.callModel(c)
	if m == nil {
		return false
	}
	for _, eff := range m.Effects {
		if eff.Op != rules.OpRelease || eff.Class == nil {
			continue
		}
		for _, w := range phaseNouns {
			if strings.Contains(strings.ToLower(eff.Class.Noun), w) {
				return true
			}
		}
	}
	return false
}

// callsWrapper reports whether fn calls a function of the package that flushes.
func (h *habits) callsWrapper(fn *ssa.Function) bool {
	found := false
	eachCall(fn, func(in ssa.CallInstruction) {
		if found {
			return
		}
		if callee := h.localCallee(in.Common()); callee != nil && h.scan(callee).has(rules.OpFlush) {
			found = true
		}
	})
	return found
}

// alwaysFlushes names the flush that every call of fn comes to, or is empty.
func (h *habits) alwaysFlushes(fn *ssa.Function) string {
	if !h.scan(fn).has(rules.OpFlush) {
		return ""
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			at := call
			if !does(h.callModel(&call.Call), rules.OpFlush) {
				if at = innerFlush(h, call); at == nil {
					continue
				}
			}
			if !h.keepsSome(&at.Call) && dominatesReturns(b) {
				return h.calleeName(&at.Call)
			}
		}
	}
	return ""
}

// innerFlush is the flush inside the literal that cgo wraps around a C call.
func innerFlush(h *habits, call *ssa.Call) *ssa.Call {
	lit := literalOf(call.Call.Value)
	if lit == nil || !isCgoWrapper(lit) {
		return nil
	}
	if inner := innerC(lit); inner != nil && does(h.callModel(&inner.Call), rules.OpFlush) {
		return inner
	}
	return nil
}

// dominatesReturns reports whether every return of b's function comes after b.
func dominatesReturns(b *ssa.BasicBlock) bool {
	for _, r := range b.Parent().Blocks {
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && !b.Dominates(r) {
			return false
		}
	}
	return true
}
