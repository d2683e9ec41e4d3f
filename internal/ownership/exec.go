// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// A run follows one resource through one function, path by path. States that
// are equal up to their explanation are explored once, registers that are dead
// are forgotten at block entry, and function literals that are called,
// deferred or started here are executed in place, so captured variables,
// named results and cgo's call wrappers need no rules of their own.
type run struct {
	e *engine
	budget
	ids    ids
	root   *ssa.Function
	target *site // the acquisition followed; nil when following a parameter
	steps  int
	active map[*ssa.Function]int
	stack  []*frame
	birth  map[*ssa.Function]*ssa.BasicBlock // where each activation stood when it was acquired

	watch func(*state, *invocation) // sees every call before it takes effect

	after   bool          // goes on behind a release: see after.go
	ends    bool          // some path released it
	worth   bool          // and something could still name it there
	given   *given        // the handle that is followed and was not acquired here
	misuses []misuse      // what an afterlife run has found
	now     *invocation   // the call that is being applied
	effect  *rules.Effect // and the effect of its model
	made    map[ssa.Value]*lease
	maybe   int // inside a literal that may run or not
	at      *frame

	received *ssa.UnOp // the receive whose element is followed, if that is what is asked
	sawEnd   bool
	drop     *dropRun // the removal from a container that is followed, if that is what is asked

	outs     []outcome
	panicked []outcome
	born     bool
	degraded bool
}

// Budgets. Beyond a soft one the path loses its branch facts and any finding
// on it is only possible; beyond the hard one the function counts as degraded.
//
// A summary run, which follows an argument, gets less: it is asked for many
// more functions, and "cannot be told" is an answer that callers understand.
type budget struct {
	soft, hard int // states of one block
	work       int // instructions
}

var (
	siteBudget    = budget{soft: 20, hard: 80, work: 20000}
	summaryBudget = budget{soft: 6, hard: 24, work: 2000}
)

// maxInline bounds literals called inside literals.
const maxInline = 5

// frame is one activation of a function.
type frame struct {
	fn    *ssa.Function
	fi    *fnInfo
	depth int
	rets  []ret
	seen  [][]uint64 // by block: the states that were there, at most run.hard
	queue []work
	cur   *ssa.BasicBlock
}

type work struct {
	b *ssa.BasicBlock
	s *state
}

// ret is one way out of an activation.
type ret struct {
	s    *state
	vals []val
	in   *ssa.Return
}

// exec runs fn from its entry in state s and returns the states at its
// returns. Parameters and free variables are already in s.env.
func (r *run) exec(fn *ssa.Function, s *state, depth int) []ret {
	fr := &frame{fn: fn, fi: r.e.info(fn), depth: depth, seen: make([][]uint64, len(fn.Blocks))}
	r.active[fn]++
	r.stack = append(r.stack, fr)
	defer func() {
		r.active[fn]--
		r.stack = r.stack[:len(r.stack)-1]
	}()
	r.push(fr, fn.Blocks[0], s)
	for len(fr.queue) > 0 {
		w := fr.queue[0]
		fr.queue = fr.queue[1:]
		if r.steps > r.work {
			r.degraded = true
			break
		}
		r.block(fr, w.b, w.s)
	}
	return fr.rets
}

// push queues a block unless an equal state has been there.
func (r *run) push(fr *frame, b *ssa.BasicBlock, s *state) {
	if s.tested != b {
		s.tested = nil
	}
	r.prune(fr, b, s)
	if s.status == unborn && fr.depth == 0 && !r.canMeetTarget(fr, b) {
		return // this path has passed the acquisition by
	}
	seen := fr.seen[b.Index]
	if len(seen) >= r.soft {
		r.coarsen(s)
	}
	k := s.key(&r.ids)
	if slices.Contains(seen, k) {
		return
	}
	if len(seen) >= r.hard {
		r.degraded = true
		return
	}
	fr.seen[b.Index] = append(seen, k)
	fr.queue = append(fr.queue, work{b, s})
}

func (r *run) canMeetTarget(fr *frame, b *ssa.BasicBlock) bool {
	if r.target == nil {
		return true
	}
	if r.target.call.Parent() != fr.fn {
		return true // inside a literal, called who knows where
	}
	return fr.fi.reach[b.Index].has(r.target.call.Block().Index)
}

// block executes b from state s and queues its successors.
func (r *run) block(fr *frame, b *ssa.BasicBlock, s *state) {
	states := []*state{s}
	fr.cur = b
	for _, in := range b.Instrs {
		if _, ok := in.(*ssa.Phi); ok {
			continue // evaluated on the edge
		}
		var next []*state
		changed := false
		for i, s := range states {
			r.steps++
			out, forked := r.instr(fr, s, in)
			if r.given != nil && !forked {
				r.receive(s, in)
			}
			switch {
			case forked:
				if !changed {
					changed = true
					next = append(next, states[:i]...)
				}
				next = append(next, out...)
			case changed:
				next = append(next, s)
			}
		}
		if changed {
			states = next
			if len(states) > r.hard {
				states = states[:r.hard]
				r.degraded = true
			}
		}
		if len(states) == 0 {
			return
		}
	}
	last := b.Instrs[len(b.Instrs)-1]
	for _, s := range states {
		switch last := last.(type) {
		case *ssa.Jump:
			r.edge(fr, b, b.Succs[0], s)
		case *ssa.If:
			r.branch(fr, b, last, s)
		case *ssa.Return:
			vals := make([]val, len(last.Results))
			for i, v := range last.Results {
				vals[i] = r.eval(s, v)
			}
			fr.rets = append(fr.rets, ret{s, vals, last})
		}
	}
}

// branch takes both sides of an If that the path does not decide.
func (r *run) branch(fr *frame, b *ssa.BasicBlock, in *ssa.If, s *state) {
	if known, ok := r.eval(s, in.Cond).(boolVal); ok {
		side := 1
		if known {
			side = 0
		}
		if r.asksSuccess(s, in.Cond) {
			s.tested = b.Succs[side]
		}
		r.leave(fr, b, b.Succs[side], s, in)
		return
	}
	t := s.clone()
	if r.refine(s, in.Cond, true) {
		r.leave(fr, b, b.Succs[0], s, in)
	}
	if r.refine(t, in.Cond, false) {
		if r.asksKind(t, in.Cond) {
			t.tested = b.Succs[1]
		}
		r.leave(fr, b, b.Succs[1], t, in)
	}
}

// edge evaluates the phis of to and checks what a back edge loses.
func (r *run) edge(fr *frame, from, to *ssa.BasicBlock, s *state) {
	pi := -1
	for i, p := range to.Preds {
		if p == from {
			pi = i
			break
		}
	}
	type bind struct {
		phi *ssa.Phi
		v   val
	}
	var binds []bind
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		binds = append(binds, bind{phi, r.eval(s, phi.Edges[pi])})
	}
	for _, b := range binds {
		r.redefine(s, b.phi)
		if v, keep := phiVal(b.phi, b.v); keep {
			s.env.set(b.phi, v)
		} else {
			s.env.del(b.phi)
		}
	}
	if s.freed != nil && to.Dominates(from) && (s.freed.index != nil || !s.freed.eachTurn(fr.fi.loops[to], from)) {
		return // released in some iteration, for all that is known the last
	}
	if to.Dominates(from) {
		s.last = stored{} // the index is another one now
	}
	if v, ok := s.visited[to]; ok && to.Dominates(from) {
		v.now = 0 // the next iteration
		s.visited[to] = v
	}
	if s.status == live && to.Dominates(from) {
		if !r.backEdge(fr, to, s) {
			return
		}
	}
	r.push(fr, to, s)
}

// phiVal decides which values a phi remembers per path. Loop counters and
// opaque values do not tell paths apart.
func phiVal(phi *ssa.Phi, v val) (val, bool) {
	switch v := v.(type) {
	case sym:
		if types.IsInterface(phi.Type()) || isStatus(phi.Type()) {
			return v, true // errors: the branch on the phi decides about its source
		}
		if v.v == nil {
			return v, true
		}
		return nil, false
	case intVal:
		if isStatus(phi.Type()) {
			return v, true
		}
		return nil, false
	case nil:
		return nil, false
	}
	return v, true
}

// isStatus reports whether t is a status code: a named integer.
func isStatus(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func (r *run) out(o outcome) {
	o.tier(r)
	r.outs = append(r.outs, o)
}
