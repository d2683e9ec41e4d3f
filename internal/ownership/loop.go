// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"
)

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

// asksKind reports whether a condition asks which error the acquisition
// returned. No is what success answers too:
//
//	_, err := d.New(bad)
//	if !errors.Is(err, ErrBad) { t.Errorf("got %v", err) }
func (r *run) asksKind(s *state, cond ssa.Value) bool {
	call, ok := cond.(*ssa.Call)
	if !ok || r.target == nil || s.status != live || !isErrorsIs(&call.Call) {
		return false
	}
	y, ok := r.eval(s, call.Call.Args[0]).(sym)
	return ok && y.v == ssa.Value(r.target.call)
}

// isErrorsIs reports whether a call is one of errors.Is and errors.As.
func isErrorsIs(c *ssa.CallCommon) bool {
	f := c.StaticCallee()
	return f != nil && f.Pkg != nil && f.Pkg.Pkg.Path() == "errors" && (f.Name() == "Is" || f.Name() == "As") && len(c.Args) > 0
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
	s.env.keep(func(v ssa.Value, _ val) bool {
		n, ok := fr.fi.num[v]
		return !ok || live.has(n)
	})
	held := s.heldBesidesDefers(func(v ssa.Value) bool {
		n, ok := fr.fi.num[v]
		return !ok || live.has(n)
	})
	switch {
	case held:
		s.carried = true
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
			if s.holdsDeferred(d) {
				return d.call
			}
		}
	}
	return nil
}
