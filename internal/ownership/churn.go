// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// churns reports buffers that each turn of a loop allocates and releases again
// though they are the same every time (GM504).
func (h *habits) churns(fn *ssa.Function) []Verdict {
	a := h.analyze(fn)
	if a == nil || inTest(fn) {
		return nil
	}
	var list []Verdict
	for _, sr := range a.sites {
		if !h.churned(sr) {
			continue
		}
		t, ok := h.turnOf(sr.site.call.Block())
		if !ok || t.short() || t.waits() || !h.comesRound(t) {
			continue // once, a few times, by a clock, or until one succeeds
		}
		same := h.sameEachTurn(t, sr.site)
		if same == differs {
			continue // made from what the turn works on
		}
		call := sr.site.call
		v := Verdict{
			Kind: Churned, Tier: report.Likely, Pos: h.callPos(call), End: h.callEnd(call),
			Class: sr.site.acq.class, Callee: sr.site.name, Acquired: h.callPos(call), Function: funcName(fn),
		}
		if same == resized {
			v.Tier, v.Nil = report.Possible, true // the sizes may have to differ
		}
		list = append(list, v)
	}
	return list
}

// churned reports whether every path of an acquisition releases it before the
// next turn, and whether that costs anything.
func (h *habits) churned(sr *siteResult) bool {
	class := sr.site.acq.class
	c := h.models.ClassByName(class.Name)
	switch {
	case c == nil || class.Owner || class.Inferred || class.Process:
		return false // what it costs is not known
	case c.Pool != "" || c.Optional || c.Backstop == rules.BackstopGCOnly:
		return false // comes from a pool, or is no allocation at all
	case !allocates(sr.site.name):
		return false // a result that is computed, not a buffer to be filled
	case sr.degraded || len(sr.outs) == 0 || h.caching(c):
		return false // not every path was followed; or the allocator keeps it
	}
	for _, o := range sr.outs {
		if o.kind != Settled || o.s.status != released || o.s.carried || o.s.weak {
			return false // leaves the turn, or is lost: another rule's business
		}
	}
	return true
}

// Words in the names of functions that allocate.
var allocWords = []string{"new", "alloc", "create", "make", "zeros", "ones", "empty", "init", "plan"}

// allocates reports whether a callee's name says that it allocates. A pool of
// the driver's, that the name speaks of, makes it cheap.
func allocates(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return hasWord(name, allocWords) && !hasWord(name, []string{"async", "pool", "from", "image"})
}

// caching reports whether the library of a class has a cache that can be
// flushed: its allocations are cheap.
func (h *habits) caching(c *rules.Class) bool {
	lib, _, _ := strings.Cut(c.Name, ".")
	if h.caches == nil {
		h.caches = map[string]bool{}
		for _, f := range h.models.Files() {
			for _, m := range f.Funcs {
				if !does(m, rules.OpFlush) || f.C {
					continue // CUDA's pools are for cudaMallocAsync only
				}
				for _, c := range f.Classes {
					lib, _, _ := strings.Cut(c.Name, ".")
					h.caches[lib] = true
				}
			}
		}
	}
	return h.caches[lib]
}

// comesRound reports whether a turn that has acquired goes on to the next one.
// A loop that is left as soon as an acquisition succeeds acquires once.
func (h *habits) comesRound(t turn) bool {
	from := turn{t.fi, &loop{head: t.at, body: t.loop.body}, t.at}
	for b := range from.ordinary(nil) {
		if t.endsTurn(b) {
			return true
		}
	}
	return t.endsTurn(t.at)
}

// variation is how an acquisition differs from turn to turn.
type variation uint8

const (
	differs variation = iota // made from other data
	resized                  // the size differs
	equal                    // the same each time
)

// sameEachTurn compares the arguments of an acquisition over the turns.
func (h *habits) sameEachTurn(t turn, st *site) variation {
	same := equal
	for i, v := range operands(&st.call.Call) {
		if i == st.acq.param || h.fixed(t, v, 0) {
			continue // where it is put; or from before the loop
		}
		b, ok := v.Type().Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 || h.classOfType(v.Type()) != nil {
			return differs
		}
		same = resized
	}
	return same
}

// fixed reports whether a value is the same in every turn.
func (h *habits) fixed(t turn, v ssa.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Parameter, *ssa.Function:
		return v.Parent() == nil || !inside(v.Parent(), t)
	case *ssa.FreeVar:
		x := h.binding(v)
		return x != nil && h.fixed(t, x, depth+1)
	case *ssa.Convert:
		return h.fixed(t, v.X, depth+1)
	case *ssa.ChangeType:
		return h.fixed(t, v.X, depth+1)
	case *ssa.MakeInterface:
		return h.fixed(t, v.X, depth+1)
	case *ssa.BinOp:
		return h.fixed(t, v.X, depth+1) && h.fixed(t, v.Y, depth+1)
	case *ssa.Slice:
		return h.fixed(t, v.X, depth+1)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return h.unwritten(t, v.X, depth)
		}
		return h.fixed(t, v.X, depth+1)
	case *ssa.FieldAddr:
		return h.fixed(t, v.X, depth+1)
	case *ssa.Alloc:
		return h.outside(t, v) || h.literalOfFixed(t, v, depth)
	case *ssa.Call:
		return h.outside(t, v) || h.pureCall(t, v, depth)
	case *ssa.Phi:
		return h.outside(t, v)
	case *ssa.Extract:
		return h.fixed(t, v.Tuple, depth+1)
	}
	return h.outside(t, v)
}

// unwritten reports whether the place behind addr is fixed and not assigned in
// the loop.
func (h *habits) unwritten(t turn, addr ssa.Value, depth int) bool {
	if a, ok := addr.(*ssa.Alloc); ok && !h.outside(t, a) {
		x := h.onlyValue(a)
		return x != nil && h.fixed(t, x, depth+1)
	}
	if _, ok := addr.(*ssa.IndexAddr); ok || !h.fixed(t, addr, depth+1) {
		return false
	}
	at := h.spotOf(addr)
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok && h.spotOf(st.Addr).covers(at) {
				return false
			}
		}
	}
	return true
}

// literalOfFixed reports whether an array that a turn makes, for a slice
// literal or for variadic arguments, is filled with fixed values.
func (h *habits) literalOfFixed(t turn, a *ssa.Alloc, depth int) bool {
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.IndexAddr:
			for _, use := range *ref.Referrers() {
				if st, ok := use.(*ssa.Store); !ok || st.Addr != ssa.Value(ref) || !h.fixed(t, st.Val, depth+1) {
					return false
				}
			}
		case *ssa.Slice, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// pureCall reports whether a call in the loop is one of a library that turns
// fixed numbers into something like a shape.
func (h *habits) pureCall(t turn, call *ssa.Call, depth int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" && h.fixed(t, call.Call.Args[0], depth+1)
	}
	if !h.ofLibrary(&call.Call) || h.classOfType(call.Type()) != nil {
		return false
	}
	for _, v := range operands(&call.Call) {
		if !h.fixed(t, v, depth+1) {
			return false
		}
	}
	return true
}
