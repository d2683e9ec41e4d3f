// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// evaluations reports forward calls that keep a graph which nothing ever goes
// back through (GM501), and the opposite: gradients asked for inside a scope in
// which no graph was recorded.
func (h *habits) evaluations(fn *ssa.Function) []Verdict {
	var list []Verdict
	inside := map[ssa.Value]bool{} // what carries the graph of a reported call
	for _, f := range h.forwards(fn) {
		g := h.graphOf(fn, f.value, f.tensor)
		if h.inNoGrad(f.call) {
			list = append(list, h.backwardInside(fn, f, g)...)
			continue
		}
		if !h.evaluates(fn, f, g) {
			continue
		}
		carried := false
		for _, v := range operands(&f.call.Call) {
			carried = carried || inside[v]
		}
		for v := range g.seen {
			inside[v] = true
		}
		if carried {
			continue // the next layer of what is reported already
		}
		v := h.gradVerdict(GraphKept, fn, f.call)
		if !h.manyInputs(fn, f, g) {
			v.Tier = report.Possible // one input, dropped at once: little is kept
		}
		v.Other, v.OtherAt = h.callName(g.read), h.posOf(g.read)
		v.Trace = []report.Step{
			{Pos: v.Pos, Text: "the graph begins here"},
			{Pos: v.OtherAt, Text: "only numbers are taken out of it"},
		}
		list = append(list, v)
	}
	return list
}

func (h *habits) gradVerdict(k Kind, fn *ssa.Function, call *ssa.Call) Verdict {
	return Verdict{
		Kind: k, Tier: report.Likely, Pos: h.callPos(call), End: h.callEnd(call),
		Callee: h.forwardName(call), Function: funcName(fn), Class: Class{Noun: "graph"},
		Name: h.scopeName(call),
	}
}

// forwardName is the call as it stands in the source, m.ForwardT, where the
// receiver is a variable.
func (h *habits) forwardName(call *ssa.Call) string {
	if x := h.callExpr(call); x != nil {
		if name := selectorText(x.Fun); name != "" {
			return name
		}
	}
	return h.sourceName(call)
}

// selectorText is an expression of names and dots, or empty.
func selectorText(x ast.Expr) string {
	switch x := unparen(x).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if left := selectorText(x.X); left != "" {
			return left + "." + x.Sel.Name
		}
	}
	return ""
}

// scopeName is how this file calls the scope without gradients: ts.NoGrad.
func (h *habits) scopeName(call *ssa.Call) string {
	obj := h.callObject(&call.Call)
	if obj == nil || obj.Pkg() == nil {
		return "a no-grad scope"
	}
	for _, p := range append([]*types.Package{obj.Pkg()}, h.pass.Pkg.Imports()...) {
		scope := p.Scope()
		for _, name := range scope.Names() { // sorted
			f, ok := scope.Lookup(name).(*types.Func)
			if !ok || !f.Exported() || f.Signature().Params().Len() != 1 {
				continue
			}
			if _, isFunc := f.Signature().Params().At(0).Type().Underlying().(*types.Signature); !isFunc {
				continue
			}
			if h.models.Package(p.Path()) && does(h.model(f), rules.OpNoGrad) {
				return p.Name() + "." + name
			}
		}
	}
	return "a no-grad scope"
}

// callObject is the function or method that a call names.
func (e *engine) callObject(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		return obj
	}
	return nil
}

// evaluates reports whether a forward call is visibly an evaluation.
func (h *habits) evaluates(fn *ssa.Function, f forward, g *graphRun) bool {
	switch {
	case f.mode == modeTrain:
		return false // training, or the caller decides
	case len(g.backward) > 0:
		return false // the graph is for this
	case g.escapes || g.returned:
		return false // somebody else may go back through it
	case g.read == nil:
		return false // nothing comes of it: warming up, or not understood
	case h.frozen():
		return false // weights without gradients make no graph
	case inTest(fn):
		return false // one small forward in a test
	}
	return true
}

// Words in the names of functions that evaluate.
var evalWords = []string{"eval", "valid", "test", "accura", "infer", "score", "bench", "sample", "generat"}

// manyInputs reports whether a forward call is part of an evaluation rather
// than the answer for one input: it is in a loop, next to the training, or
// compared with what was expected, or the function says so.
func (h *habits) manyInputs(fn *ssa.Function, f forward, g *graphRun) bool {
	if t, ok := h.turnOf(f.call.Block()); ok && !t.short() {
		return true
	}
	if h.scan(fn).has(rules.OpBackward) || hasWord(fn.Name(), evalWords) {
		return true
	}
	compared := false
	eachCall(fn, func(in ssa.CallInstruction) {
		carried, other := false, false
		for _, v := range operands(in.Common()) {
			switch {
			case g.seen[v]:
				carried = true
			case tensorIn(v.Type()) != nil && tensorIn(v.Type()).Obj() == f.tensor.Obj() && in != ssa.CallInstruction(f.call):
				other = true
			}
		}
		compared = compared || carried && other
	})
	return compared
}

// backwardInside reports gradients of a graph that was not recorded.
func (h *habits) backwardInside(fn *ssa.Function, f forward, g *graphRun) []Verdict {
	var list []Verdict
	for _, in := range g.backward {
		call, ok := in.(*ssa.Call)
		if !ok || !h.inNoGrad(call) {
			continue // the scope has ended, and the forward may be another one's
		}
		v := h.gradVerdict(BackwardNoGrad, fn, call)
		v.Other, v.OtherAt = h.forwardName(f.call), h.callPos(f.call)
		list = append(list, v)
	}
	return list
}

// frozen reports whether the package switches the gradients of a model off.
func (h *habits) frozen() bool {
	for _, fn := range h.funcs {
		if fn.Parent() == nil && h.scan(fn).has(rules.OpFreeze) {
			return true
		}
	}
	return false
}

// inNoGrad reports whether a call runs in a scope without gradients: a literal
// that was handed to one, after a guard, or in a function that the package
// calls from such places only.
func (h *habits) inNoGrad(call ssa.CallInstruction) bool {
	return h.scoped(call, true)
}

// scoped is inNoGrad; without callers it looks at the function alone.
func (h *habits) scoped(call ssa.CallInstruction, callers bool) bool {
	b := call.Block()
	for depth := 0; depth < maxInline; depth++ {
		fn := b.Parent()
		if h.guarded(fn, b, call) {
			return true
		}
		if fn.Parent() == nil {
			return callers && h.calledInNoGrad(fn)
		}
		at := h.calledAt(fn)
		if at == nil {
			return false // a literal that somebody keeps
		}
		if m := h.callModel(&at.Call); m != nil && switchesOff(&at.Call, m) {
			return true
		}
		b, call = at.Block(), at
	}
	return false
}

// switchesOff reports whether a call turns gradients off.
func switchesOff(c *ssa.CallCommon, m *rules.Func) bool {
	for _, eff := range m.Effects {
		if eff.Op != rules.OpNoGrad {
			continue
		}
		if eff.When.Kind != rules.CondArg {
			return true
		}
		i := eff.When.Arg + len(c.Args) - c.Signature().Params().Len()
		k, ok := c.Args[i].(*ssa.Const)
		if !ok || bool(constVal(k).(boolVal)) != eff.When.Negate {
			return true // not known: in doubt, off
		}
	}
	return false
}

// guarded reports whether a guard stands before a call: on every way to it, one
// that takes no function to run.
func (h *habits) guarded(fn *ssa.Function, at *ssa.BasicBlock, call ssa.CallInstruction) bool {
	for _, b := range fn.Blocks {
		if !b.Dominates(at) {
			continue
		}
		for _, in := range b.Instrs {
			if in == ssa.Instruction(call) {
				break
			}
			guard, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			if m := h.callModel(&guard.Call); m != nil && switchesOff(&guard.Call, m) && !takesFunc(guard.Call.Signature()) {
				return true
			}
		}
	}
	return false
}

func takesFunc(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if isFunc(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// calledInNoGrad reports whether every call of fn that the package has is in a
// scope without gradients. A function that nothing here calls is not.
func (h *habits) calledInNoGrad(fn *ssa.Function) bool {
	if got, ok := h.quiet[fn]; ok {
		return got // also the answer to recursion
	}
	h.quiet[fn] = false
	calls := h.callsOf(fn)
	all := len(calls) > 0
	for _, in := range calls {
		all = all && h.inNoGrad(in)
	}
	if !all && token.IsExported(fn.Name()) {
		for _, in := range calls {
			all = all || h.inNoGrad(in) // made for such scopes, it seems
		}
	}
	h.quiet[fn] = all
	return all
}

// callsOf lists the calls of a function in the package.
func (h *habits) callsOf(fn *ssa.Function) []ssa.CallInstruction {
	if h.callers == nil {
		h.callers = map[*ssa.Function][]ssa.CallInstruction{}
		for _, f := range h.funcs {
			if f.Parent() != nil {
				continue // with its parent
			}
			eachCall(f, func(in ssa.CallInstruction) {
				if callee := h.localCallee(in.Common()); callee != nil {
					h.callers[callee] = append(h.callers[callee], in)
				}
			})
		}
	}
	return h.callers[fn]
}
