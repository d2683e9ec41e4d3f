// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// OrderFact says that a result must be released before an argument, or before
// what lies below it: the constructor of a child.
type OrderFact struct {
	Result    int
	Param     int // the receiver first
	ParamPath string
	Class     Class // of the child
}

// orderFacts is what is known about the callee's results and arguments.
func (h *habits) orderFacts(c *ssa.CallCommon) []OrderFact {
	fn := c.StaticCallee()
	if fn == nil {
		return nil // an interface, or a value
	}
	if callee := h.localCallee(c); callee != nil {
		return h.orderOf(callee)
	}
	obj, _ := fn.Object().(*types.Func)
	if f := h.fact(obj); f != nil {
		return f.Order
	}
	return nil
}

// orderOf finds the children that fn makes of its arguments and returns, by
// themselves or inside an object.
func (h *habits) orderOf(fn *ssa.Function) []OrderFact {
	if list, ok := h.orderMemo[fn]; ok {
		return list // also the answer to recursion: none
	}
	h.orderMemo[fn] = nil
	if fn.Signature.Results().Len() == 0 {
		return nil
	}
	var list []OrderFact
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		for _, k := range h.bornOf(call) {
			for _, p := range k.parent {
				j := paramIndex(fn, p.root)
				if j < 0 {
					continue
				}
				for _, i := range h.resultsWith(fn, k.child) {
					list = append(list, OrderFact{Result: i, Param: j, ParamPath: p.path, Class: k.class})
				}
			}
		}
	})
	h.orderMemo[fn] = list
	return list
}

func paramIndex(fn *ssa.Function, v ssa.Value) int {
	for i, p := range fn.Params {
		if ssa.Value(p) == v {
			return i
		}
	}
	return -1
}

// resultsWith lists the results that are, or hold, what lies at one of the
// spots.
func (h *habits) resultsWith(fn *ssa.Function, spots []spot) []int {
	var list []int
	for i := range fn.Signature.Results().Len() {
		found := false
		for _, b := range fn.Blocks {
			ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok || i >= len(ret.Results) || isError(ret.Results[i].Type()) {
				continue
			}
			at := h.spotOf(ret.Results[i])
			for _, s := range spots {
				found = found || at.covers(s)
			}
		}
		if found {
			list = append(list, i)
		}
	}
	return list
}

// lifeOf lists the classes of what fn and the functions of the package that it
// calls make, and of what they release.
func (h *habits) lifeOf(fn *ssa.Function, depth int) (made, ended map[string]bool) {
	if got, ok := h.lives[fn]; ok {
		return got[0], got[1] // also the answer to recursion
	}
	made, ended = map[string]bool{}, map[string]bool{}
	h.lives[fn] = [2]map[string]bool{made, ended}
	eachCall(fn, func(in ssa.CallInstruction) {
		c := in.Common()
		if m := h.callModel(c); m != nil {
			for _, eff := range m.Effects {
				if eff.Op == rules.OpAcquire && eff.Class != nil {
					made[eff.Class.Name] = true
				}
			}
			for _, e := range h.endsOf(c) {
				ended[e.class.Name] = true
			}
			return
		}
		callee := h.localCallee(c)
		if callee == nil || callee.Parent() != nil || depth > 8 {
			return
		}
		m, e := h.lifeOf(callee, depth+1)
		for name := range m {
			made[name] = true
		}
		for name := range e {
			ended[name] = true
		}
	})
	return made, ended
}
