// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// copyState is one path behind a copy: the places that hold the same handle,
// and the one through which it was released.
type copyState struct {
	members  []place
	released place
	late     []place // releases that are deferred
}

func (s copyState) key() string { return fmt.Sprint(s.members, s.released, s.late) }

func (s copyState) has(p place) bool {
	for _, m := range s.members {
		if m == p {
			return true
		}
	}
	return false
}

func (s copyState) without(p place) copyState {
	var kept []place
	for _, m := range s.members {
		if m != p {
			kept = append(kept, m)
		}
	}
	s.members = kept
	return s
}

// copyWalk follows the paths behind one copy.
type copyWalk struct {
	e     *engine
	fn    *ssa.Function
	typ   types.Type
	names map[place]string
	steps int
	seen  map[string]bool
	found *Verdict
}

func (w *copyWalk) run(b *ssa.BasicBlock, i int, s copyState) (Verdict, bool) {
	w.seen = map[string]bool{}
	// Releases that were deferred before.
	for _, blk := range w.fn.Blocks {
		if !blk.Dominates(b) {
			continue
		}
		for k, in := range blk.Instrs {
			if blk == b && k >= i {
				break
			}
			if d, ok := in.(*ssa.Defer); ok {
				s = w.deferred(s, d)
			}
		}
	}
	w.block(b, i+1, s, map[ssa.Value]bool{}, map[*ssa.BasicBlock]bool{}, nil)
	if w.found == nil {
		return Verdict{}, false
	}
	return *w.found, true
}

func (w *copyWalk) deferred(s copyState, d *ssa.Defer) copyState {
	for _, p := range w.releasedBy(&d.Call, s) {
		s.late = append(append([]place(nil), s.late...), p)
	}
	return s
}

// block follows a path from instruction i of b. Conditions that were met before
// on the path keep their answer; a loop is gone round once, so that its
// iterations, which see other elements, do not mix. Loops that are not entered
// at all are left out: mostly such a path cannot be taken.
func (w *copyWalk) block(b *ssa.BasicBlock, i int, s copyState, conds map[ssa.Value]bool, around map[*ssa.BasicBlock]bool, ints map[ssa.Value]int64) {
	if w.found != nil || w.steps > 3000 {
		return
	}
	for ; i < len(b.Instrs); i++ {
		w.steps++
		var over bool
		if s, over = w.instr(b.Instrs[i], s); over {
			return
		}
	}
	var last ssa.Instruction = b.Instrs[len(b.Instrs)-1]
	cond, isIf := last.(*ssa.If)
	for k, next := range b.Succs {
		c := conds
		if isIf {
			v, want := cond.Cond, k == 0
			if not, ok := v.(*ssa.UnOp); ok && not.Op == token.NOT {
				v, want = not.X, !want
			}
			known, ok := conds[v]
			if !ok {
				known, ok = compare(v, ints)
			}
			if ok {
				if known != want {
					continue
				}
			} else {
				c = map[ssa.Value]bool{v: want}
				for x, t := range conds {
					c[x] = t
				}
			}
		}
		turn := around
		if next.Dominates(b) { // a back edge
			turn = map[*ssa.BasicBlock]bool{next: true}
			for x := range around {
				turn[x] = true
			}
			c = map[ssa.Value]bool{} // the next iteration's are others
		}
		if l := w.e.info(w.fn).loops[b]; l != nil && around[b] == l.contains(next) {
			continue // a second time into the same loop, or past it without a turn
		}
		nextInts := phiInts(b, next, ints)
		key := fmt.Sprint(next.Index, s.key(), len(turn), condKey(c), len(nextInts))
		if w.seen[key] {
			continue
		}
		w.seen[key] = true
		w.block(next, 0, s, c, turn, nextInts)
	}
}

// phiInts are the loop counters that are known where a path enters a block: the
// first turn's.
func phiInts(from, to *ssa.BasicBlock, ints map[ssa.Value]int64) map[ssa.Value]int64 {
	next := ints
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		for k, pred := range to.Preds {
			if pred != from {
				continue
			}
			c, isConst := phi.Edges[k].(*ssa.Const)
			known := isConst && c.Value != nil && c.Value.Kind() == constant.Int
			if _, was := ints[phi]; !known && !was {
				continue
			}
			if len(next) == len(ints) {
				next = cloneMap(ints)
			}
			delete(next, phi)
			if known {
				next[phi] = c.Int64()
			}
		}
	}
	return next
}

// compare decides a comparison of a known counter with a constant.
func compare(cond ssa.Value, ints map[ssa.Value]int64) (truth, ok bool) {
	cmp, isCmp := cond.(*ssa.BinOp)
	if !isCmp {
		return false, false
	}
	x, known := ints[cmp.X]
	c, isConst := cmp.Y.(*ssa.Const)
	if !known || !isConst || c.Value == nil || c.Value.Kind() != constant.Int {
		return false, false
	}
	if !isComparison(cmp.Op) {
		return false, false
	}
	return constant.Compare(constant.MakeInt64(x), cmp.Op, c.Value), true
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// condKey is a digest of the answers on a path that does not depend on the
// order of a map.
func condKey(c map[ssa.Value]bool) uint64 {
	var sum uint64
	for v, t := range c {
		h := hashString(v.Name())
		if t {
			h = mix(h, 1)
		}
		sum += h
	}
	return sum
}

// instr follows one instruction; over reports that the path need not go on.
func (w *copyWalk) instr(in ssa.Instruction, s copyState) (_ copyState, over bool) {
	switch in := in.(type) {
	case *ssa.Store:
		return w.store(in, s)
	case *ssa.Defer:
		return w.deferred(s, in), false
	case *ssa.Call:
		for _, p := range w.releasedBy(&in.Call, s) {
			if s = w.release(s, p, w.e.posOf(in)); w.found != nil {
				return s, true
			}
		}
	case *ssa.RunDefers:
		for k := len(s.late) - 1; k >= 0; k-- {
			if s = w.release(s, s.late[k], in.Parent().Pos()); w.found != nil {
				w.found.Pos = w.latePos(s.late[k])
				return s, true
			}
		}
	case *ssa.Panic:
		return s, true
	}
	return s, len(s.members) < 2 && s.released == ""
}

// store ends or widens the set of copies.
func (w *copyWalk) store(st *ssa.Store, s copyState) (copyState, bool) {
	to := placeOf(st.Addr)
	if load, ok := st.Val.(*ssa.UnOp); ok && load.Op == token.MUL && types.Identical(load.Type(), w.typ) && s.has(placeOf(load.X)) && steadyBetween(load, st, placeOf(load.X)) {
		if !s.has(to) {
			s.members = append(append([]place(nil), s.members...), to) // a further copy
			w.names[to] = w.e.placeName(st.Addr)
		}
		return s, false
	}
	var more []place // the whole struct goes on: f := frame{mat: m}
	if load, ok := st.Val.(*ssa.UnOp); ok && load.Op == token.MUL {
		for _, m := range s.members {
			if rest, ok := strings.CutPrefix(string(m), string(placeOf(load.X))+"."); ok {
				more = append(more, to+place("."+rest))
				w.names[to+place("."+rest)] = w.e.placeName(st.Addr) + "." + rest
			}
		}
	}
	for _, m := range s.members {
		// Another value, or another object at the end of the pointer.
		if m == to || len(m) > len(to) && (m[:len(to)] == to && (m[len(to)] == '.' || m[len(to)] == '[') || m == "*"+to || len(m) > len(to)+1 && m[:len(to)+1] == "*"+to) {
			s = s.without(m)
		}
		// m.p = nil: cleared by hand.
		if len(to) > len(m) && to[:len(m)] == m && to[len(m)] == '.' && zeroConst(st.Val) {
			s = s.without(m)
		}
	}
	if len(more) > 0 {
		s.members = append(append([]place(nil), s.members...), more...)
	}
	return s, len(s.members) == 0
}

// release notes a release of what a place holds. The second one, through
// another place, is the finding.
func (w *copyWalk) release(s copyState, p place, pos token.Pos) copyState {
	if !s.has(p) {
		return s // another value by now
	}
	if s.released == "" || s.released == p {
		s.released = p
		return s
	}
	class := Class{Name: "copy", Noun: typeBase(w.typ), Verb: "released"}
	if n := namedOf(w.typ); n != nil {
		if m := w.e.models.Type(n.Obj()); m != nil && m.Class != nil {
			class = classOf(m.Class, m.Releases)
		}
	}
	w.found = &Verdict{
		Kind: OwnerCopied, Tier: report.Likely, Pos: pos, Class: class, Function: funcName(w.fn), Acquired: pos,
		Name: w.names[s.released], Failed: w.names[p],
	}
	return s
}

// latePos is the position of the deferred release of a place.
func (w *copyWalk) latePos(p place) token.Pos {
	for _, b := range w.fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok {
				for _, q := range w.releasedBy(&d.Call, copyState{members: []place{p}}) {
					if q == p {
						return d.Pos()
					}
				}
			}
		}
	}
	return w.fn.Pos()
}

// releasedBy lists the members that a call releases.
func (w *copyWalk) releasedBy(c *ssa.CallCommon, s copyState) []place {
	var list []place
	for i, arg := range c.Args {
		p := placeOf(arg)
		if load, ok := arg.(*ssa.UnOp); ok && load.Op == token.MUL && types.Identical(load.Type(), w.typ) {
			p = placeOf(load.X) // by value: the callee's copy, or a value receiver
		}
		if s.has(p) && w.e.releasesPlace(c, i, w.typ) {
			list = append(list, p)
			continue
		}
		for _, m := range s.members {
			if rest, ok := strings.CutPrefix(string(m), string(p)+"."); ok && w.e.releasesField(c, i, "."+rest, w.typ) {
				list = append(list, m) // f.Close() closes f.mat
			}
		}
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok && len(c.Args) == 0 {
		list = append(list, w.literal(mc, s)...)
	}
	return list
}

// literal lists the members that a literal surely releases: in its first block.
func (w *copyWalk) literal(mc *ssa.MakeClosure, s copyState) []place {
	fn := mc.Fn.(*ssa.Function)
	var list []place
	for _, in := range fn.Blocks[0].Instrs {
		call, ok := in.(*ssa.Call)
		if !ok {
			continue
		}
		for i, arg := range call.Call.Args {
			fv, ok := arg.(*ssa.FreeVar)
			if !ok {
				continue
			}
			for k, x := range fn.FreeVars {
				if x == fv && s.has(placeOf(mc.Bindings[k])) && w.e.releasesPlace(&call.Call, i, w.typ) {
					list = append(list, placeOf(mc.Bindings[k]))
				}
			}
		}
	}
	return list
}
