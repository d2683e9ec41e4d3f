// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
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

	received *ssa.UnOp // the receive whose element is followed, if that is what is asked
	sawEnd   bool

	outs     []outcome
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
	siteBudget    = budget{soft: 20, hard: 80, work: 15000}
	summaryBudget = budget{soft: 8, hard: 32, work: 3000}
)

// maxInline bounds literals called inside literals.
const maxInline = 5

// frame is one activation of a function.
type frame struct {
	fn    *ssa.Function
	fi    *fnInfo
	depth int
	rets  []ret
	seen  map[*ssa.BasicBlock]map[uint64]bool
	queue []work
	cur   *ssa.BasicBlock
	async bool // body of a goroutine
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
func (r *run) exec(fn *ssa.Function, s *state, depth int, async bool) []ret {
	fr := &frame{fn: fn, fi: r.e.info(fn), depth: depth, seen: map[*ssa.BasicBlock]map[uint64]bool{}, async: async}
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
	seen := fr.seen[b]
	if seen == nil {
		seen = map[uint64]bool{}
		fr.seen[b] = seen
	}
	if len(seen) >= r.soft {
		r.coarsen(s)
	}
	k := s.key(&r.ids)
	if seen[k] {
		return
	}
	if len(seen) >= r.hard {
		r.degraded = true
		return
	}
	seen[k] = true
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

// coarsen drops what distinguishes paths but holds no resource.
func (r *run) coarsen(s *state) {
	s.weak = true
	s.facts = map[sym]fact{}
	for k, v := range s.env {
		switch v.(type) {
		case boolVal, intVal, nilVal, sym:
			delete(s.env, k)
		}
	}
}

// prune forgets the registers of fr.fn that are dead at b's entry, memory that
// nothing leads to, and facts about values that are gone.
func (r *run) prune(fr *frame, b *ssa.BasicBlock, s *state) {
	live := fr.fi.live[b.Index]
	for v := range s.env {
		if n, ok := fr.fi.num[v]; ok && !live.has(n) {
			delete(s.env, v)
		}
	}
	if len(s.mem)+len(s.facts) == 0 {
		return
	}
	s.collect(func(v ssa.Value) bool {
		n, ok := fr.fi.num[v]
		return !ok || live.has(n)
	}, fr.fi)
}

// collect is the garbage collector of the abstract memory.
func (s *state) collect(alive func(ssa.Value) bool, fi *fnInfo) {
	roots := map[any]bool{}
	syms := map[sym]bool{}
	var mark func(v val)
	markLoc := func(l loc) {
		if roots[l.root] {
			return
		}
		roots[l.root] = true
		for m, v := range s.mem {
			if m.root == l.root {
				mark(v)
			}
		}
	}
	mark = func(v val) {
		switch v := v.(type) {
		case ptr:
			markLoc(v.l)
		case sym:
			syms[v] = true
			if v.v == nil {
				markLoc(v.l)
			} else {
				markLoc(loc{root: v})
			}
		case *clo:
			for _, b := range v.b {
				mark(b)
			}
		case *tup:
			for _, e := range v.vs {
				mark(e)
			}
		case *agg:
			for _, e := range v.m {
				mark(e)
			}
		}
	}
	for _, v := range s.env {
		mark(v)
	}
	for _, stack := range s.defers {
		for _, d := range stack {
			mark(d.fn)
			for _, a := range d.args {
				mark(a)
			}
		}
	}
	for m, v := range s.mem {
		// The register that holds a local object's address is in its default
		// state, and not in env.
		if !isLocal(m.root) || !m.old && alive(m.root.(ssa.Value)) {
			roots[m.root] = true
			mark(v)
		}
	}
	for m := range s.mem {
		if !roots[m.root] {
			delete(s.mem, m)
		}
	}
	for k := range s.facts {
		if syms[k] {
			continue
		}
		if k.v != nil && k.i == 0 && alive(k.v) {
			continue
		}
		if k.v == nil && fi.retested(k.l) {
			continue
		}
		delete(s.facts, k)
	}
}

// isLocal reports whether a memory root dies with the activation unless
// something reachable leads to it.
func isLocal(root any) bool {
	switch root := root.(type) {
	case sym:
		return false // what a parameter or an unknown pointer points at
	case *ssa.Global:
		return false
	case ssa.Value:
		return true
	default:
		_ = root
		return false
	}
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
		r.leave(fr, b, b.Succs[1], t, in)
	}
}

// asksSuccess reports whether a condition looks at the error or status of the
// acquisition itself.
func (r *run) asksSuccess(s *state, cond ssa.Value) bool {
	bin, ok := cond.(*ssa.BinOp)
	if !ok || r.target == nil || s.status != live {
		return false
	}
	for _, x := range []ssa.Value{bin.X, bin.Y} {
		if y, ok := r.eval(s, x).(sym); ok && y.v == ssa.Value(r.target.call) {
			return true
		}
		if y, ok := r.eval(s, x).(own); ok && !y.sub {
			return true // h != 0
		}
	}
	return false
}

// leave takes an edge out of a conditional block, unless it would leave a loop
// over a container that holds the resource before any iteration has seen it:
// the loop visits every element, so that path does not exist.
func (r *run) leave(fr *frame, from, to *ssa.BasicBlock, s *state, in *ssa.If) {
	l := fr.fi.loops[from]
	if l == nil || s.status != live {
		r.edge(fr, from, to, s)
		return
	}
	v := s.visited[from]
	if l.contains(to) {
		if !v.round && len(l.iterates) > 0 && r.visits(s, l) {
			v.round = true
			if s.visited == nil {
				s.visited = map[*ssa.BasicBlock]visit{}
			}
			s.visited[from] = v
		}
		r.edge(fr, from, to, s)
		return
	}
	if !v.seen && (v.other || !v.round) && r.visits(s, l) {
		return // not yet visited
	}
	delete(s.visited, from)
	r.edge(fr, from, to, s)
}

// visits reports whether l iterates over a container that holds the resource.
func (r *run) visits(s *state, l *loop) bool {
	for _, it := range l.iterates {
		v := r.peek(s, it.v, 0)
		if it.lit != nil {
			v = r.peekInside(s, it.v, it.lit, 0)
		}
		if s.holds(v) {
			return true
		}
	}
	return false
}

// visiting handles the load of an element whose index is not known, inside a
// loop over the container: it is the resource in some iteration and another
// element in the others. It returns the loop, if there is one.
func (r *run) visiting(s *state) *loop {
	var best *loop
	for i := len(r.stack) - 1; i >= 0 && best == nil; i-- {
		fr := r.stack[i]
		if fr.cur == nil {
			continue
		}
		for _, l := range fr.fi.loops {
			if l.contains(fr.cur) && r.visits(s, l) && (best == nil || best.contains(l.head)) {
				best = l
			}
		}
	}
	return best
}

// visit notes that the current iteration of a loop is that of the resource, or
// is not.
func (s *state) visit(head *ssa.BasicBlock, is bool) {
	if s.visited == nil {
		s.visited = map[*ssa.BasicBlock]visit{}
	}
	v := s.visited[head]
	v.now = -1
	if is {
		v.seen, v.now = true, 1
	} else {
		v.other = true
	}
	s.visited[head] = v
}

// holds reports whether a container value has the resource among its elements.
func (s *state) holds(v val) bool {
	switch v := v.(type) {
	case ptr, sym:
		l, _ := pointee(v)
		return s.reachLoc(l, map[loc]bool{})
	case *agg:
		return s.reach(v)
	}
	return false
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
			s.env[b.phi] = v
		} else {
			delete(s.env, b.phi)
		}
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

// backEdge checks the resource when an iteration ends. It reports whether the
// path goes on.
func (r *run) backEdge(fr *frame, head *ssa.BasicBlock, s *state) bool {
	l := fr.fi.loops[head]
	if l == nil || r.target == nil {
		return true
	}
	in := r.birth[fr.fn]
	if in == nil || !l.contains(in) {
		return true // acquired before the loop
	}
	// Only registers that are live at the head carry over.
	live := fr.fi.live[head.Index]
	for v := range s.env {
		if n, ok := fr.fi.num[v]; ok && !live.has(n) {
			delete(s.env, v)
		}
	}
	held := s.heldBesidesDefers(func(v ssa.Value) bool {
		n, ok := fr.fi.num[v]
		return !ok || live.has(n)
	})
	switch {
	case held:
		return true
	case s.deferredHold():
		if d := s.deferIn(l); d != nil && !l.bounded {
			r.out(outcome{kind: LoopDefer, s: s, pos: d.Pos(), at: d})
		}
		return true
	}
	r.out(outcome{kind: LostIteration, s: s, pos: r.target.call.Pos()})
	return false
}

// heldBesidesDefers reports whether registers or memory lead to the resource.
func (s *state) heldBesidesDefers(alive func(ssa.Value) bool) bool {
	t := *s
	t.defers = nil
	return t.reachable(alive)
}

// deferIn finds the deferred call inside l that holds the resource.
func (s *state) deferIn(l *loop) *ssa.Defer {
	for _, stack := range s.defers {
		for _, d := range stack {
			if d.call.Parent() != l.head.Parent() || !l.contains(d.call.Block()) {
				continue
			}
			if s.reach(d.fn) {
				return d.call
			}
			for _, a := range d.args {
				if s.reach(a) {
					return d.call
				}
			}
		}
	}
	return nil
}

// redefine forgets what the previous execution of v's instruction meant.
func (r *run) redefine(s *state, v ssa.Value) {
	delete(s.env, v)
	for k := range s.facts {
		if k.v == v {
			delete(s.facts, k)
		}
	}
	for m, x := range s.mem {
		if y, ok := x.(sym); ok && y.v == v {
			s.mem[m] = sym{v: v, i: 1000 + y.i%1000} // the value of an earlier iteration
		}
	}
	for m, x := range s.env {
		if y, ok := x.(sym); ok && y.v == v {
			s.env[m] = sym{v: v, i: 1000 + y.i%1000}
		}
	}
}

func (r *run) out(o outcome) {
	o.tier(r)
	r.outs = append(r.outs, o)
}

// posOr returns p, or q where p is unknown.
func posOr(p, q token.Pos) token.Pos {
	if p.IsValid() {
		return p
	}
	return q
}
