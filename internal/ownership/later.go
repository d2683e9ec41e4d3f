// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"
)

// goCall hands the resource to a goroutine if the goroutine releases it.
func (r *run) goCall(fr *frame, s *state, in *ssa.Go) ([]*state, bool) {
	iv := r.invocation(s, in)
	if s.status != live {
		if c, ok := iv.fn.(*clo); ok && s.status == unborn && r.target != nil && iv.obj == nil {
			s.escapeCells(c)
		}
		return nil, false
	}
	held := s.reach(iv.fn)
	for _, a := range iv.args {
		held = held || s.reach(a)
	}
	if !held {
		return nil, false
	}
	c, ok := iv.fn.(*clo)
	if !ok || iv.obj != nil {
		return r.invoke(fr, s, iv)
	}
	return r.tryClosure(fr, s, c, iv.args, true)
}

// tryClosure executes a literal that runs some time later, or maybe not at
// all: in a goroutine, or called by code that cannot be seen. If it releases
// the resource it owns it; if it only uses it, nothing changes.
func (r *run) tryClosure(fr *frame, s *state, c *clo, args []val, isGo bool) ([]*state, bool) {
	fn := c.fn
	if len(fn.Blocks) == 0 || r.active[fn] > 0 || fr.depth >= maxInline {
		s.status = unknown
		return r.settle(s)
	}
	for len(args) < len(fn.Params) {
		args = append(args, sym{v: fn.Params[len(args)]})
	}
	t := s.clone()
	r.bind(t, fn, c, args)
	t.defers = append(t.defers, nil)
	mark := len(r.outs)
	rets := r.exec(fn, t, fr.depth+1)
	ended, lives := 0, 0
	for _, o := range r.outs[mark:] {
		if o.kind == Settled || o.kind == MayOwn {
			ended++
		}
	}
	var leak *ret
	for i := range rets {
		switch rets[i].s.status {
		case live:
			lives++
			leak = &rets[i]
		case released, moved, unknown:
			ended++
		}
	}
	switch {
	case ended == 0 && len(rets) == 0:
		// Never returns: it keeps the resource for good.
		s.status = moved
		return r.settle(s)
	case ended == 0:
		return nil, false // only uses it
	case lives == 0:
		s.status = moved
		return r.settle(s)
	case isGo:
		r.forget(leak.s, fn)
		leak.s.defers = leak.s.defers[:len(leak.s.defers)-1]
		r.out(outcome{kind: Leak, s: leak.s, pos: exitPos(leak.in), ret: leak.in, vals: leak.vals, fn: fn})
		return nil, true
	}
	s.status = unknown
	return r.settle(s)
}

// escapeCells: what a goroutine may write is not known any more.
func (s *state) escapeCells(c *clo) {
	for i, b := range c.b {
		if p, ok := b.(ptr); ok && i < len(c.fn.FreeVars) && mayWrite(c.fn.FreeVars[i], 0) {
			s.havoc(p.l)
		}
	}
}

// mayWrite reports whether a captured variable is more than read.
func mayWrite(v ssa.Value, depth int) bool {
	if depth > 3 {
		return true
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			fn := ref.Fn.(*ssa.Function)
			for i, b := range ref.Bindings {
				if b == v && mayWrite(fn.FreeVars[i], depth+1) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// havoc forgets what an unknown callee may have overwritten, but not the
// resource: nobody overwrites a handle that was handed to him by chance.
func (s *state) havoc(l loc) {
	for m, v := range s.mem.each() {
		if _, ok := l.under(m); ok && !s.reach(v) {
			s.mem.del(m)
		}
	}
	s.mem.set(loc{root: l.root, old: l.old, path: "?"}, nilVal{})
}
