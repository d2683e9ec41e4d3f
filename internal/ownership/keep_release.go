// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// elementCall judges a call that is given an element.
func (u *keepUse) elementCall(in ssa.CallInstruction, v ssa.Value) {
	c := in.Common()
	if u.k.releases(c, v) {
		u.release(in)
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if call, isCall := in.(*ssa.Call); isCall && b.Name() == "append" {
			u.whole(call) // moved to another slice: who releases that one releases it
		}
		return
	}
	fn := c.StaticCallee()
	if fn == nil {
		if !c.IsInvoke() {
			// A func that was stored: onEvict(key, value).
			if hasWord(fieldOf(c.Value), closerWords) || hasWord(fieldOf(c.Value), evictWords) {
				u.release(in)
				u.callBack(in)
			} else if _, isParam := c.Value.(*ssa.Parameter); isParam {
				u.give(in)
			}
		}
		return
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if !u.k.e.local(fn) || u.depth > 3 {
		return
	}
	u.depth++
	for i, a := range c.Args {
		if a == v && i < len(fn.Params) {
			u.element(fn.Params[i])
		}
	}
	u.depth--
}

// evictWords are in the names of funcs that a cache calls with what it throws
// out.
var evictWords = []string{"evict", "expire", "remove", "drop", "dispose", "reclaim", "recycle", "discard"}

// releases reports whether a call releases, or takes for good, the value v.
func (k *keepScan) releases(c *ssa.CallCommon, v ssa.Value) bool {
	if m := k.e.callModel(c); m != nil {
		return modelEnds(m)
	}
	if c.IsInvoke() {
		return c.Value == v && releaseNames[c.Method.Name()]
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj := originFunc(fn)
	if obj == nil {
		return k.literalReleases(c, fn, v)
	}
	if name, ok := cFuncName(obj.Name()); ok {
		return k.e.cEnds(name) && k.e.endsC(v.Type())
	}
	for i, a := range c.Args {
		if a != v {
			continue
		}
		var eff effect
		if k.e.local(fn) {
			eff = k.e.localEffect(fn, i, "")
		} else if f := k.e.fact(obj); f != nil {
			eff = f.effect(i, "")
		} else {
			return releaseNames[obj.Name()] && i == 0
		}
		if (eff.OK|eff.Err)&(bitReleased|bitMoved) != 0 {
			return true
		}
	}
	return false
}

// literalReleases looks into cgo's literals and other calls in place.
func (k *keepScan) literalReleases(c *ssa.CallCommon, fn *ssa.Function, v ssa.Value) bool {
	for i, a := range c.Args {
		if a == v && i < len(fn.Params) && fn.Params[i].Referrers() != nil {
			for _, ref := range *fn.Params[i].Referrers() {
				if call, ok := ref.(ssa.CallInstruction); ok && k.releases(call.Common(), fn.Params[i]) {
					return true
				}
			}
		}
	}
	return false
}

// releasedToo reports whether who puts a value into a container releases it as
// well: the container only borrows it.
func (k *keepScan) releasedToo(val keepValue, ev *keepEvent) bool {
	if val.handle == nil {
		return false
	}
	if k.releasedLater(val.handle, ev.at, map[ssa.Value]bool{}) {
		return true
	}
	if val.source != fromParam || val.param.Parent() != ev.fn {
		return false
	}
	idx := slices.Index(ev.fn.Params, val.param)
	for _, call := range k.callersOf(ev.fn) {
		args := call.Common().Args
		if idx < len(args) && k.releasedLater(args[idx], call, map[ssa.Value]bool{}) {
			return true
		}
	}
	return false
}

// releasedLater reports whether v is released by a deferred call, or after at.
func (k *keepScan) releasedLater(v ssa.Value, at ssa.Instruction, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || v.Referrers() == nil || len(seen) > 40 {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MakeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.Phi, *ssa.ChangeInterface:
			if k.releasedLater(ref.(ssa.Value), at, seen) {
				return true
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL && k.releasedLater(ref, at, seen) {
				return true
			}
		case *ssa.Store:
			if a, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v && k.releasedLater(a, at, seen) {
				return true
			}
		case *ssa.MakeClosure:
			if k.closureReleases(ref, v, at, seen) {
				return true
			}
		case *ssa.Defer:
			if k.releases(&ref.Call, v) {
				return true
			}
		case *ssa.Call:
			if ssa.Instruction(ref) == at || !k.releases(&ref.Call, v) {
				continue // the insertion itself takes it, if it is a call
			}
			if ref.Parent() != at.Parent() || follows(ref, at) {
				return true
			}
		}
	}
	return false
}

// closureReleases looks into a literal that captured v: one that is deferred, or
// one of those that cgo wraps around a call.
func (k *keepScan) closureReleases(mc *ssa.MakeClosure, v ssa.Value, at ssa.Instruction, seen map[ssa.Value]bool) bool {
	fn := mc.Fn.(*ssa.Function)
	inCgo := isCgoWrapper(fn)
	switch {
	case inCgo:
		// C.cudaFree(p) in a statement of its own counts only behind at.
		call := wrapperCall(fn)
		if call != nil && call.Parent() == at.Parent() && !isFunc(call.Type()) && !follows(call, at) {
			return false
		}
	case mc.Parent().Parent() != nil && isCgoWrapper(mc.Parent()):
	case k.isDeferred(mc) && len(fn.Blocks) < 3:
	default:
		return false
	}
	for i, b := range mc.Bindings {
		if b == v && k.releasedLater(fn.FreeVars[i], at, seen) {
			return true
		}
	}
	return false
}

func (k *keepScan) isDeferred(mc *ssa.MakeClosure) bool {
	for _, r := range *mc.Referrers() {
		if d, ok := r.(*ssa.Defer); ok && d.Call.Value == mc {
			return true
		}
	}
	return false
}

// follows reports whether a can run after b.
func follows(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		for _, in := range a.Block().Instrs {
			if in == b {
				return true
			}
			if in == a {
				break
			}
		}
	}
	for _, s := range b.Block().Succs {
		if reaches(s, a.Block(), nil) {
			return true
		}
	}
	return false
}
