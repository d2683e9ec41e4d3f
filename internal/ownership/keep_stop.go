// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// uncancelled: the goroutine ends with its context, but one of its sends does
// not: once the receiver is gone it never looks at the context again.
//
//	for {
//		select {
//		case v := <-in:
//			out <- v
//		case <-ctx.Done():
//			return
//		}
//	}
func (k *keepScan) uncancelled(sp *spawned, v *Verdict) bool {
	if !k.watchesDone(sp.body) {
		return false
	}
	fi := k.e.info(sp.body)
	for _, b := range sp.body.Blocks {
		for _, in := range b.Instrs {
			s, ok := in.(*ssa.Send)
			if !ok || !fi.inner.has(b.Index) || isDone(s.Chan) || k.hasRoom(s.Chan, 0) {
				continue
			}
			if _, inField := k.container(s.Chan); inField && !k.holds(s.X) {
				continue // an answer: who asked waits for it
			}
			v.Detail = fmt.Sprintf("goroutine holds %s and blocks for ever in its send at line %d once the receiver is gone: select on the context there as well",
				sp.hold, k.e.pass.Fset.Position(s.Pos()).Line)
			return true
		}
	}
	return false
}

// watchesDone reports whether fn ends when a context or a stop channel says so.
func (k *keepScan) watchesDone(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			sel, ok := in.(*ssa.Select)
			if !ok || len(sel.States) < 2 {
				continue
			}
			for _, st := range sel.States {
				if st.Send == nil && isDone(st.Chan) {
					return true
				}
			}
		}
	}
	return false
}

// isDone reports whether a channel only tells to stop: ctx.Done(), or one of
// empty structs.
func isDone(v ssa.Value) bool {
	if call, ok := v.(*ssa.Call); ok && call.Call.IsInvoke() && call.Call.Method.Name() == "Done" {
		return true
	}
	ch, ok := v.Type().Underlying().(*types.Chan)
	if !ok {
		return false
	}
	st, ok := ch.Elem().Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// noStop: the goroutine's loop has no way out, although what it holds is meant
// to end: an object with a Close, or something that belongs to one call.
func (k *keepScan) noStop(sp *spawned, v *Verdict) bool {
	if !k.loopsForEver(sp.body) {
		return false
	}
	if sp.hold.class.Owner && sp.hold.owner != nil && sp.hold.owner.Obj().Pkg() == k.e.pass.Pkg {
		if len(sp.hold.class.Releases) == 0 || sp.hold.class.Releases[0] == "" {
			return false
		}
		v.Detail = fmt.Sprintf("goroutine holds %s and never ends: %s does not stop it, so close a channel there that its loop looks at",
			sp.hold, sp.hold.owner.Obj().Name()+"."+sp.hold.class.Releases[0])
		return true
	}
	if times, _ := k.oftenRun(sp.from, 0); times == againNever && !k.endless(sp.at.Block()) {
		return false // a worker that lives as long as the program
	}
	if sp.hold.class.Name == "thread" || sp.hold.v == nil {
		return false // a worker that holds a fixed amount
	}
	v.Detail = fmt.Sprintf("goroutine holds %s and never ends: every call of %s leaves one more, so let it return when its work is done or the context is cancelled",
		sp.hold, top(sp.from).Name())
	return true
}

// loopsForEver reports whether fn cannot come to its end: its loop has no exit,
// or waits for a channel that nothing in the package closes or sends on.
func (k *keepScan) loopsForEver(fn *ssa.Function) bool {
	if got, ok := k.forEver[fn]; ok {
		return got
	}
	k.forEver[fn] = false
	seen := map[*ssa.BasicBlock]bool{}
	returns := false
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] || returns {
			return
		}
		seen[b] = true
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Return:
				returns = true
				return
			case *ssa.UnOp:
				if in.Op == token.ARROW && k.silent(in.X) {
					return // waits for ever
				}
			case *ssa.Call:
				if k.e.noReturn(&invocation{obj: calleeObj(&in.Call), callee: in.Call.StaticCallee()}) {
					returns = true
					return
				}
			}
		}
		for i, s := range b.Succs {
			if k.deadEdge(b, i) {
				continue
			}
			visit(s)
		}
	}
	visit(fn.Blocks[0])
	k.forEver[fn] = !returns
	return !returns
}

func calleeObj(c *ssa.CallCommon) *types.Func {
	if fn := c.StaticCallee(); fn != nil {
		return originFunc(fn)
	}
	return nil
}
