// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A turn is the loop that runs a place of the program again and again, in the
// function where the loop stands. The place may be inside literals that are
// called on the spot:
//
//	for range steps {
//		ts.NoGrad(func() { ts.CleanUp() })
//	}
type turn struct {
	fi   *fnInfo
	loop *loop
	at   *ssa.BasicBlock // the block of the loop that leads to the place
}

// turnOf finds the innermost loop around b.
func (h *habits) turnOf(b *ssa.BasicBlock) (turn, bool) {
	for depth := 0; depth < maxInline; depth++ {
		fi := h.info(b.Parent())
		var best *loop
		for _, l := range fi.loops {
			if l.contains(b) && (best == nil || best.contains(l.head)) {
				best = l
			}
		}
		if best != nil {
			return turn{fi, best, b}, true
		}
		if isYield(b.Parent()) {
			return turn{fi, wholeBody(b.Parent()), b}, true
		}
		site := h.calledAt(b.Parent())
		if site == nil {
			return turn{}, false
		}
		b = site.Block()
	}
	return turn{}, false
}

// wholeBody is the body of a range over func as a loop: a turn begins at its
// entry and ends at a return that asks for the next element.
func wholeBody(fn *ssa.Function) *loop {
	l := &loop{head: fn.Blocks[0], body: newBitset(len(fn.Blocks))}
	for _, b := range fn.Blocks {
		l.body.set(b.Index)
	}
	return l
}

// endsTurn reports whether the next turn can follow on b.
func (t turn) endsTurn(b *ssa.BasicBlock) bool {
	if slices.Contains(b.Succs, t.loop.head) {
		return true
	}
	ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok || !isYield(t.fi.fn) || len(ret.Results) != 1 {
		return false
	}
	c, ok := ret.Results[0].(*ssa.Const)
	return ok && !isZero(constVal(c))
}

// calledAt is the call that runs a literal on the spot: the literal is called
// where it stands, or handed to a function of a model, which calls it once.
func (h *habits) calledAt(lit *ssa.Function) *ssa.Call {
	if lit.Parent() == nil {
		return nil
	}
	var found *ssa.Call
	for _, b := range lit.Parent().Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			if literalOf(call.Call.Value) == lit {
				found = call
			}
			for _, a := range call.Call.Args {
				if literalOf(a) == lit && h.callModel(&call.Call) != nil {
					found = call
				}
			}
		}
	}
	return found
}

// smallConst is the most turns that count as a small constant number.
const smallConst = 16

// short reports whether a loop has a small constant number of turns: some exit
// of it asks whether a counter has reached one.
func (t turn) short() bool {
	if t.loop.bounded {
		return true
	}
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) || len(b.Succs) != 2 || t.loop.contains(b.Succs[0]) && t.loop.contains(b.Succs[1]) {
			continue
		}
		cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := cond.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		if n, known := smallNumber(bin.Y); known && n <= smallConst && t.fi.inductive(t.loop, bin.X) {
			return true
		}
	}
	return false
}

// smallNumber is the value of a constant, or the length of a slice literal.
//
//	t0 = new [2]string (slicelit)
//	t3 = slice t0[:]
//	t4 = len(t3)
func smallNumber(v ssa.Value) (int64, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() != constant.Int {
			return 0, false
		}
		return constant.Int64Val(v.Value)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		if !ok || b.Name() != "len" {
			return 0, false
		}
		sl, ok := v.Call.Args[0].(*ssa.Slice)
		if !ok {
			return 0, false
		}
		if a, ok := elem(sl.X.Type()).Underlying().(*types.Array); ok && sl.Low == nil && sl.High == nil {
			return a.Len(), true
		}
	}
	return 0, false
}

// waits reports whether the loop sleeps or follows a clock: it is not hot.
func (t turn) waits() bool {
	for _, b := range t.fi.fn.Blocks {
		if !t.loop.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Call:
				if fn := in.Call.StaticCallee(); fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "time" && fn.Name() == "Sleep" {
					return true
				}
			case *ssa.UnOp:
				if in.Op == token.ARROW && isClock(in.X.Type()) {
					return true
				}
			case *ssa.Select:
				for _, st := range in.States {
					if st.Dir == types.RecvOnly && isClock(st.Chan.Type()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isClock reports whether t is a channel of times.
func isClock(t types.Type) bool {
	c, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	n := namedOf(c.Elem())
	return n != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Time"
}

// failure tells which edge of a branch is taken when something went wrong: 0,
// 1, or -1 for a branch that does not ask.
//
//	if err != nil          status != 0, p == nil, x, ok := f(); !ok
//	if errors.Is(err, x)   isOOM(err), status == C.cudaErrorMemoryAllocation
func failure(cond ssa.Value) int {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			if side := failure(c.X); side >= 0 {
				return 1 - side
			}
		}
	case *ssa.Extract:
		if _, isCall := c.Tuple.(*ssa.Call); isCall && c.Index > 0 && isBool(c.Type()) {
			return 1 // x, ok := f()
		}
	case *ssa.Call:
		for _, a := range c.Call.Args {
			if isError(a.Type()) {
				return 0
			}
		}
	case *ssa.BinOp:
		return failingComparison(c)
	}
	return -1
}

func failingComparison(c *ssa.BinOp) int {
	if c.Op != token.EQL && c.Op != token.NEQ {
		return -1
	}
	differs := 0 // the side on which the operands differ
	if c.Op == token.EQL {
		differs = 1
	}
	t := c.X.Type()
	switch {
	case isError(t) || isRecover(c.X):
		return differs
	case isStatus(t) && statusName(t):
		if isSuccessValue(c.X) || isSuccessValue(c.Y) {
			return differs
		}
		return 1 - differs // compared with one of the failures
	case isNilConst(c.Y) && isCallResult(c.X) || isNilConst(c.X) && isCallResult(c.Y):
		return 1 - differs
	}
	return -1
}

func isRecover(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "recover"
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

func isCallResult(v ssa.Value) bool {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	_, ok := v.(*ssa.Call)
	return ok
}

// isSuccessValue reports whether v is 0, or a constant of C's named like
// success.
func isSuccessValue(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return isZero(constVal(v))
	case *ssa.UnOp:
		return v.Op == token.MUL && isSuccessConst(v)
	case *ssa.Convert:
		return isSuccessValue(v.X)
	}
	return false
}

// ordinary lists the blocks of the loop that one turn can reach without a
// failure, without going through avoid.
func (t turn) ordinary(avoid *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] || b == avoid || !t.loop.contains(b) {
			return
		}
		seen[b] = true
		bad := -1
		if in, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			bad = failure(in.Cond)
		}
		for i, s := range b.Succs {
			if i != bad && s != t.loop.head {
				visit(s)
			}
		}
	}
	visit(t.loop.head)
	return seen
}
