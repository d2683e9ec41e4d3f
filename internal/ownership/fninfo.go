// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// fnInfo is what one function's shape tells, computed once.
type fnInfo struct {
	fn    *ssa.Function
	num   map[ssa.Value]int
	live  []bitset // live-in values by block index
	loops map[*ssa.BasicBlock]*loop
	reach []bitset       // blocks reachable from a block, itself included
	inner bitset         // blocks inside some loop
	reads map[string]int // how often a field of this name is read
}

// loop is a natural loop.
type loop struct {
	head *ssa.BasicBlock
	body bitset // block indices
	// iterates are the slices, maps and channels that the loop visits element
	// by element.
	iterates []iterated
	// bounded: the trip count is a small constant.
	bounded bool
}

// iterated is a container that a loop visits.
type iterated struct {
	v   ssa.Value
	lit *ssa.MakeClosure // v is an expression inside this literal of cgo's
}

func (l *loop) contains(b *ssa.BasicBlock) bool { return l.body.has(b.Index) }

type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
func (b bitset) or(o bitset) bool { // reports a change
	changed := false
	for i := range b {
		if n := b[i] | o[i]; n != b[i] {
			b[i] = n
			changed = true
		}
	}
	return changed
}

func newFnInfo(fn *ssa.Function) *fnInfo {
	fi := &fnInfo{fn: fn, num: map[ssa.Value]int{}, loops: map[*ssa.BasicBlock]*loop{}}
	for _, p := range fn.Params {
		fi.num[p] = len(fi.num)
	}
	for _, p := range fn.FreeVars {
		fi.num[p] = len(fi.num)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				fi.num[v] = len(fi.num)
			}
		}
	}
	fi.liveness()
	fi.findReach()
	fi.findLoops()
	return fi
}

// liveness is the textbook backward analysis; a phi's operands are live at the
// end of the edge's source only.
func (fi *fnInfo) liveness() {
	n := len(fi.num)
	fi.live = make([]bitset, len(fi.fn.Blocks))
	for i := range fi.live {
		fi.live[i] = newBitset(n)
	}
	var ops [16]*ssa.Value
	for changed := true; changed; {
		changed = false
		for i := len(fi.fn.Blocks) - 1; i >= 0; i-- {
			b := fi.fn.Blocks[i]
			cur := newBitset(n)
			for _, succ := range b.Succs {
				cur.or(fi.live[succ.Index])
				for _, in := range succ.Instrs {
					phi, ok := in.(*ssa.Phi)
					if !ok {
						break
					}
					if b != succ {
						cur.clear(fi.num[phi]) // defined on the edge
					}
				}
				for pi, pred := range succ.Preds {
					if pred != b {
						continue
					}
					for _, in := range succ.Instrs {
						phi, ok := in.(*ssa.Phi)
						if !ok {
							break
						}
						if k, ok := fi.num[phi.Edges[pi]]; ok {
							cur.set(k)
						}
					}
				}
			}
			for j := len(b.Instrs) - 1; j >= 0; j-- {
				in := b.Instrs[j]
				switch in.(type) {
				case *ssa.DebugRef, *ssa.Phi:
					continue // not a use; defined and used on the edges
				}
				if v, ok := in.(ssa.Value); ok {
					cur.clear(fi.num[v])
				}
				for _, op := range in.Operands(ops[:0]) {
					if *op == nil {
						continue
					}
					if k, ok := fi.num[*op]; ok {
						cur.set(k)
					}
				}
			}
			if fi.live[i].or(cur) {
				changed = true
			}
		}
	}
}

func (fi *fnInfo) findReach() {
	n := len(fi.fn.Blocks)
	fi.reach = make([]bitset, n)
	for i := range fi.reach {
		fi.reach[i] = newBitset(n)
		fi.reach[i].set(i)
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			for _, s := range fi.fn.Blocks[i].Succs {
				if fi.reach[i].or(fi.reach[s.Index]) {
					changed = true
				}
			}
		}
	}
}

// findLoops collects the natural loop of each back edge; loops that share a
// head are one loop.
func (fi *fnInfo) findLoops() {
	n := len(fi.fn.Blocks)
	for _, b := range fi.fn.Blocks {
		for _, h := range b.Succs {
			if !h.Dominates(b) {
				continue
			}
			l := fi.loops[h]
			if l == nil {
				l = &loop{head: h, body: newBitset(n)}
				l.body.set(h.Index)
				fi.loops[h] = l
			}
			stack := []*ssa.BasicBlock{b}
			for len(stack) > 0 {
				x := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if l.body.has(x.Index) {
					continue
				}
				l.body.set(x.Index)
				stack = append(stack, x.Preds...)
			}
		}
	}
	fi.inner = newBitset(n)
	for _, l := range fi.loops {
		fi.inner.or(l.body)
		fi.describe(l)
	}
}

// describe finds what a loop iterates over and whether it is bounded.
//
//	for i, x := range s     head: i = phi [-1, i+1]; i+1 < len(s)
//	                        body: &s[i+1]
//	for k, v := range m     head: next t; body: extract t #2
//	for x := range ch       head: <-ch,ok
func (fi *fnInfo) describe(l *loop) {
	for _, b := range fi.fn.Blocks {
		if !l.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.IndexAddr:
				if fi.inductive(l, in.Index) && !onlyStored(in) {
					l.iterates = append(l.iterates, iterated{v: in.X})
				}
			case *ssa.Index:
				if fi.inductive(l, in.Index) {
					l.iterates = append(l.iterates, iterated{v: in.X})
				}
			case *ssa.Next:
				l.iterates = append(l.iterates, iterated{v: in.Iter})
			case *ssa.MakeClosure:
				l.iterates = append(l.iterates, cgoIterates(in)...)
			case *ssa.UnOp:
				if in.CommaOk {
					l.iterates = append(l.iterates, iterated{v: in.X})
				}
			}
		}
	}
	last := l.head.Instrs[len(l.head.Instrs)-1]
	cond, ok := last.(*ssa.If)
	if !ok {
		return
	}
	if bin, ok := cond.Cond.(*ssa.BinOp); ok {
		if c, ok := bin.Y.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
			if n, exact := constant.Int64Val(c.Value); exact && n <= 16 && fi.inductive(l, bin.X) {
				l.bounded = true
			}
		}
	}
}

// inductive reports whether v counts the iterations of l: a phi at its head,
// or that plus a constant.
func (fi *fnInfo) inductive(l *loop, v ssa.Value) bool {
	if bin, ok := v.(*ssa.BinOp); ok {
		if _, ok := bin.Y.(*ssa.Const); ok {
			v = bin.X
		}
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return v.Block() == l.head
	case *ssa.UnOp: // a captured counter
		a, ok := v.X.(*ssa.Alloc)
		return ok && v.Op == token.MUL && isInteger(a.Type())
	}
	return false
}

func isInteger(ptr types.Type) bool {
	b, ok := elem(ptr).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// cgoIterates finds xs in C.free(xs[i]): cgo moves the index expression into
// a literal that captures xs and i.
func cgoIterates(mc *ssa.MakeClosure) []iterated {
	fn := mc.Fn.(*ssa.Function)
	if !isCgoWrapper(fn) {
		return nil
	}
	var list []iterated
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			ia, ok := in.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			if _, isConst := ia.Index.(*ssa.Const); isConst {
				continue
			}
			list = append(list, iterated{v: ia.X, lit: mc})
		}
	}
	return list
}

// retested reports whether a branch on the field at l may come up again: facts
// about fields that are read once only would tell paths apart for nothing.
func (fi *fnInfo) retested(l loc) bool {
	if fi.reads == nil {
		fi.reads = map[string]int{}
		top := fi.fn
		for top.Parent() != nil {
			top = top.Parent()
		}
		var count func(fn *ssa.Function)
		count = func(fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if f, ok := in.(*ssa.FieldAddr); ok {
						fi.reads["."+fieldName(f.X.Type(), f.Field)]++
					}
				}
			}
			for _, anon := range fn.AnonFuncs {
				count(anon)
			}
		}
		count(top)
	}
	i := strings.LastIndexAny(l.path, ".")
	return i >= 0 && fi.reads[l.path[i:]] > 1
}

// onlyStored reports whether an element's address serves only to fill it.
func onlyStored(in *ssa.IndexAddr) bool {
	for _, ref := range *in.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if ref.Addr != in {
				return false
			}
		default:
			return false
		}
	}
	return true
}
