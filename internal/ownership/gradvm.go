// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// machines reports machines that go backwards after every run where nothing
// uses the gradients (GM501): the memory for them is taken for nothing. It is
// the form that GM501 has in libraries whose graph is data:
//
//	m := gorgonia.NewLispMachine(g)
//	m.RunAll()
func (h *habits) machines(fn *ssa.Function) []Verdict {
	if inTest(fn) {
		return nil // small graphs
	}
	var list []Verdict
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok || !does(h.callModel(&call.Call), rules.OpGrad) || !does(h.callModel(&call.Call), rules.OpAcquire) {
			return
		}
		option := h.forwardOnly(call)
		if option == nil || h.given(call, option) || h.usesGradients(fn) {
			return // not such a machine, told to go forwards only, or rightly not
		}
		g := h.newGraph(fn, namedOf(call.Type()))
		g.follow(call)
		run := h.runOf(g)
		if run == nil || g.escapes || g.returned {
			return // run by somebody else, who may use them
		}
		v := h.gradVerdict(BackwardUnused, fn, call)
		for _, a := range h.acquisitions(&call.Call) {
			v.Class = a.class
		}
		v.Callee, v.Acquired, v.Name = h.sourceName(call), v.Pos, option.Pkg().Name()+"."+option.Name()
		v.Other, v.OtherAt = h.callName(run), h.posOf(run)
		v.Trace = []report.Step{{Pos: v.Pos, Text: "made without " + v.Name}, {Pos: v.OtherAt, Text: "goes forwards and backwards"}}
		list = append(list, v)
	})
	return list
}

// forwardOnly is the option of the library that switches the way back off, if
// its constructor takes options of that type.
func (h *habits) forwardOnly(call *ssa.Call) *types.Func {
	sig := call.Call.Signature()
	obj := h.callObject(&call.Call)
	if !sig.Variadic() || obj == nil || obj.Pkg() == nil {
		return nil
	}
	opt := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice).Elem()
	scope := obj.Pkg().Scope()
	for _, name := range scope.Names() { // sorted
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || f.Signature().Results().Len() != 1 || !types.Identical(f.Signature().Results().At(0).Type(), opt) {
			continue
		}
		if does(h.model(f), rules.OpNoGrad) {
			return f
		}
	}
	return nil
}

// given reports whether a call gets an option, or options that cannot be seen.
func (h *habits) given(call *ssa.Call, option *types.Func) bool {
	last := call.Call.Args[len(call.Call.Args)-1]
	if isNilConst(last) {
		return false // none
	}
	sl, ok := last.(*ssa.Slice)
	if !ok {
		return true // opts...
	}
	for _, ref := range *sl.X.Referrers() {
		at, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			st, ok := use.(*ssa.Store)
			if !ok {
				continue
			}
			made, ok := st.Val.(*ssa.Call)
			if !ok || h.callObject(&made.Call) == option {
				return true // the option, or one that was chosen before
			}
		}
	}
	return false
}

// usesGradients reports whether fn, what it calls or who calls it takes steps
// or looks at gradients.
func (h *habits) usesGradients(fn *ssa.Function) bool {
	ops, complete := h.opsOf(fn)
	if !complete || ops.has(rules.OpStep) || ops.has(rules.OpBackward) {
		return true
	}
	for _, in := range h.callsOf(fn) {
		if ops, _ := h.opsOf(topOf(in.Parent())); ops.has(rules.OpStep) || ops.has(rules.OpBackward) {
			return true
		}
	}
	return false
}

// runOf is the first call of a method on the machine that can fail and is not
// its release: the run.
func (h *habits) runOf(g *graphRun) ssa.CallInstruction {
	var run ssa.CallInstruction
	for v := range g.seen {
		for _, ref := range *v.Referrers() {
			call, ok := ref.(*ssa.Call)
			if !ok || len(operands(&call.Call)) != 1 || operands(&call.Call)[0] != v {
				continue
			}
			res := call.Call.Signature().Results()
			if res.Len() != 1 || !isError(res.At(0).Type()) || releaseNames[h.callBase(&call.Call)] {
				continue
			}
			if run == nil || call.Pos() < run.Pos() {
				run = call
			}
		}
	}
	return run
}
