// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"
)

// deferCall registers a deferred call with its operands.
func (r *run) deferCall(s *state, in *ssa.Defer) {
	d := deferred{call: in, fn: r.eval(s, in.Call.Value)}
	for _, a := range in.Call.Args {
		d.args = append(d.args, r.eval(s, a))
	}
	i := len(s.defers) - 1
	if in.DeferStack != nil {
		i = 0 // in the body of a range over func: runs when the outer function ends
	}
	if s.again(i, in) && !s.holdsDeferred(d) {
		return // a loop defers one for each iteration; one stands for all the others
	}
	s.defers[i] = append(s.defers[i][:len(s.defers[i]):len(s.defers[i])], d)
	r.lateOperand(s, in, d)
}

// again reports whether a defer statement is on stack i already.
func (s *state) again(i int, in *ssa.Defer) bool {
	for _, d := range s.defers[i] {
		if d.call == in {
			return true
		}
	}
	return false
}

// holdsDeferred reports whether a deferred call leads to the resource.
func (s *state) holdsDeferred(d deferred) bool {
	if s.reach(d.fn) {
		return true
	}
	for _, a := range d.args {
		if s.reach(a) {
			return true
		}
	}
	return false
}

// lateOperand remembers a deferred release whose operand is still nil: it was
// evaluated before the resource was there.
func (r *run) lateOperand(s *state, in *ssa.Defer, d deferred) {
	if s.status == live || len(d.args) == 0 && len(closureArgs(d.fn)) == 0 {
		return
	}
	args := d.args
	if len(args) == 0 {
		args = closureArgs(d.fn)
	}
	for _, a := range args {
		if p, ok := a.(ptr); ok && len(d.args) == 0 {
			a = s.mem.at(p.l) // cgo's variable, captured
		}
		if isNilLike(a) || a == intVal("0") {
			s.lateDefer = in.Pos()
			s.lateCall = in
			return
		}
	}
}

// closureArgs are the operands of a deferred C call: cgo evaluates them in a
// literal that returns the literal to be deferred.
func closureArgs(v val) []val {
	if c, ok := v.(*clo); ok {
		return c.b
	}
	return nil
}

// runDefers executes the deferred calls of the innermost activation.
func (r *run) runDefers(fr *frame, s *state) []*state {
	states := []*state{s}
	for {
		var next []*state
		progress := false
		for _, s := range states {
			top := len(s.defers) - 1
			n := len(s.defers[top])
			if n == 0 {
				next = append(next, s)
				continue
			}
			progress = true
			d := s.defers[top][n-1]
			s.defers[top] = s.defers[top][:n-1]
			iv := &invocation{in: d.call, common: &d.call.Call, fn: d.fn, args: d.args}
			r.resolve(iv)
			if r.builtinDefer(iv) {
				next = append(next, s)
				continue
			}
			if out, forked := r.invoke(fr, s, iv); forked {
				next = append(next, out...)
			} else {
				next = append(next, s)
			}
		}
		states = r.dedupe(next)
		if !progress || len(states) == 0 {
			return states
		}
		if len(states) > r.hard {
			states = states[:r.hard]
			r.degraded = true
		}
	}
}

func (r *run) builtinDefer(iv *invocation) bool {
	_, ok := iv.common.Value.(*ssa.Builtin)
	return ok
}
