// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// A forward is a call whose result carries a graph.
type forward struct {
	call   *ssa.Call
	value  ssa.Value // the result, or the tuple's part
	tensor *types.Named
	mode   mode
}

// mode is what a forward call says about itself.
type mode uint8

const (
	modeNone  mode = iota // says nothing: Forward(x)
	modeTrain             // ForwardT(x, true), or not known
	modeEval              // ForwardT(x, false)
)

// forwards lists the forward calls of fn and its literals.
func (h *habits) forwards(fn *ssa.Function) []forward {
	var list []forward
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		for _, i := range h.gradResults(&call.Call) {
			v, t := resultValue(call, i)
			if v == nil {
				continue
			}
			if n := tensorIn(t); n != nil {
				list = append(list, forward{call, v, n, trainMode(&call.Call)})
			}
		}
	})
	return list
}

// resultValue is the register of result i, nil where nobody looks at it.
func resultValue(call *ssa.Call, i int) (ssa.Value, types.Type) {
	res := call.Call.Signature().Results()
	if i >= res.Len() {
		return nil, nil
	}
	if res.Len() == 1 {
		return call, call.Type()
	}
	for _, ref := range *call.Referrers() {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == i {
			return x, x.Type()
		}
	}
	return nil, nil
}

// tensorIn is the named type of a tensor or of the elements of a slice.
func tensorIn(t types.Type) *types.Named {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	return namedOf(t)
}

// trainMode looks at the bool argument of a forward call.
func trainMode(c *ssa.CallCommon) mode {
	params := c.Signature().Params()
	m := modeNone
	for i := range params.Len() {
		if !isBool(params.At(i).Type()) {
			continue
		}
		k, ok := c.Args[len(c.Args)-params.Len()+i].(*ssa.Const)
		if !ok {
			return modeTrain // the caller decides
		}
		if bool(constVal(k).(boolVal)) {
			return modeTrain
		}
		m = modeEval
	}
	return m
}

// gradResults lists the results of a call that carry a graph: by the model, or
// because a function of the package returns what a forward call gave it.
func (h *habits) gradResults(c *ssa.CallCommon) []int {
	if m := h.callModel(c); m != nil {
		var list []int
		for _, eff := range m.Effects {
			if eff.Op == rules.OpGrad && eff.Place.Kind == rules.PlaceResult {
				list = append(list, eff.Place.Index)
			}
		}
		return list
	}
	if callee := h.localCallee(c); callee != nil && callee.Parent() == nil {
		return h.gradOf(callee)
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		if f := h.fact(obj); f != nil {
			return f.Grad
		}
	}
	return nil
}

// gradOf lists the results of fn that carry a graph made inside: the Forward of
// a module of the user's.
func (h *habits) gradOf(fn *ssa.Function) []int {
	if list, ok := h.grads[fn]; ok {
		return list // also the answer to recursion
	}
	h.grads[fn] = nil
	if fn.Signature.Results().Len() == 0 {
		return nil
	}
	found := map[int]bool{}
	for _, f := range h.forwards(fn) {
		if h.scoped(f.call, false) {
			continue // whoever calls fn
		}
		for i := range h.graphOf(fn, f.value, f.tensor).results {
			found[i] = true
		}
	}
	for i := range fn.Signature.Results().Len() {
		if found[i] {
			h.grads[fn] = append(h.grads[fn], i)
		}
	}
	return h.grads[fn]
}
