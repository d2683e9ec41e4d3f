// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// oneOfMany reports a table that each turn of a loop fills with a resource and
// of which only one element is returned: the others are lost with the table.
// The run that follows one resource takes the returned element for it.
//
//	results := make([]*Buffer, len(ops))
//	for i, op := range ops {
//		results[i] = pool.Get(op.size)
//	}
//	return results[len(results)-1]
//
// Every other use of the table makes it silent: a release loop, a slice of it,
// a function that gets it.
func (e *engine) oneOfMany(base Verdict, sr *siteResult) (Verdict, bool) {
	st := sr.site
	if sr.degraded || st.acq.result != 0 || st.acq.path != "" || st.acq.class.Process || st.call.Parent() != sr.root {
		return base, false
	}
	table := e.filledBy(st.call)
	if table == nil {
		return base, false
	}
	t, ok := e.habit().turnOf(st.call.Block())
	if !ok || t.short() || t.loop.contains(table.Block()) {
		return base, false // made once, a few times, or anew in each turn
	}
	ret := e.onlyReturned(table, t)
	if ret == nil {
		return base, false
	}
	base.Kind, base.Detail, base.Tier = NotReleased, "others", min(base.Tier, report.Likely)
	base.Trace = append(base.Trace, report.Step{Pos: exitPos(ret), Text: lostHere})
	return base, true
}

// filledBy is the slice that a call's first result is stored into at an index
// and goes nowhere else, or nil.
func (e *engine) filledBy(call *ssa.Call) *ssa.MakeSlice {
	var made ssa.Value = call
	if _, tuple := call.Type().(*types.Tuple); tuple {
		for _, ref := range *call.Referrers() {
			if x, ok := ref.(*ssa.Extract); ok && x.Index == 0 {
				made = x
			}
		}
	}
	var table *ssa.MakeSlice
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			ia, ok := ref.Addr.(*ssa.IndexAddr)
			if !ok || ref.Val != made || table != nil {
				return nil
			}
			if table, ok = ia.X.(*ssa.MakeSlice); !ok {
				return nil
			}
		default:
			return nil
		}
	}
	return table
}

// onlyReturned is the return that gives one element of a table away, if all
// else that is done with the table is to fill it in the loop and to use what is
// in it.
func (e *engine) onlyReturned(table *ssa.MakeSlice, t turn) *ssa.Return {
	var ret *ssa.Return
	for _, ref := range *table.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			if b, ok := ref.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
				return nil // somebody else's now
			}
		case *ssa.IndexAddr:
			for _, use := range *ref.Referrers() {
				switch use := use.(type) {
				case *ssa.DebugRef:
				case *ssa.Store:
					if use.Addr != ssa.Value(ref) || !t.loop.contains(use.Block()) {
						return nil
					}
				case *ssa.UnOp:
					got, ok := e.elementUse(use)
					if !ok || got != nil && ret != nil {
						return nil // released, kept, or two of them are given away
					}
					if got != nil {
						ret = got
					}
				default:
					return nil
				}
			}
		default:
			return nil // ranged over, cut, captured, stored
		}
	}
	if ret == nil || t.loop.contains(ret.Block()) {
		return nil
	}
	return ret
}

// elementUse says what becomes of an element that was read: it is returned, or
// only used. What is more than that is not ok.
func (e *engine) elementUse(load *ssa.UnOp) (ret *ssa.Return, ok bool) {
	if load.Op != token.MUL {
		return nil, false
	}
	for _, ref := range *load.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Return:
			ret = ref
		case *ssa.Call:
			if m := e.callModel(&ref.Call); m == nil || modelEnds(m) || lends(m) {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return ret, true
}
