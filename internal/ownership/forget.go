// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// coarsen drops what distinguishes paths but holds no resource.
func (r *run) coarsen(s *state) {
	s.weak = true
	s.facts.clear()
	s.env.keep(func(_ ssa.Value, v val) bool {
		switch v.(type) {
		case boolVal, intVal, nilVal, sym:
			return false
		}
		return true
	})
}

// prune forgets the registers of fr.fn that are dead at b's entry, memory that
// nothing leads to, and facts about values that are gone.
func (r *run) prune(fr *frame, b *ssa.BasicBlock, s *state) {
	live := fr.fi.live[b.Index]
	s.env.keep(func(v ssa.Value, _ val) bool {
		n, ok := fr.fi.num[v]
		return !ok || live.has(n)
	})
	if s.mem.len()+s.facts.len() == 0 {
		return
	}
	c := collector{s: s, fi: fr.fi, live: live}
	c.collect()
}

// A collector is the garbage collector of the abstract memory at one block's
// entry: it marks what registers, deferred calls and memory that outlives the
// activation lead to, and sweeps the rest, with the facts about it.
type collector struct {
	s     *state
	fi    *fnInfo
	live  bitset
	mem   []bool // by the entry of s.mem: it is needed
	facts []bool // by the entry of s.facts: something has the value
}

// alive reports whether a register of this activation, or one of another one,
// may be read again.
func (c *collector) alive(v ssa.Value) bool {
	n, ok := c.fi.num[v]
	return !ok || c.live.has(n)
}

func (c *collector) collect() {
	s := c.s
	var room [64]bool // for nearly all states
	if need := s.mem.len() + s.facts.len(); need <= len(room) {
		c.mem, c.facts = room[:s.mem.len()], room[s.mem.len():need]
	} else {
		c.mem, c.facts = make([]bool, s.mem.len()), make([]bool, s.facts.len())
	}
	for i := range s.mem.list {
		// The register that holds a local object's address is in its default
		// state, and not in env.
		if k := s.mem.list[i].k; !c.mem[i] && (!isLocal(k.root) || !k.old && c.alive(k.root.(ssa.Value))) {
			c.markRoot(k.root)
		}
	}
	if s.facts.len() == 0 && !slices.Contains(c.mem, false) {
		return
	}
	for i := range s.env.list {
		c.mark(s.env.list[i].v)
	}
	for _, stack := range s.defers {
		for i := range stack {
			c.mark(stack[i].fn)
			for _, a := range stack[i].args {
				c.mark(a)
			}
		}
	}
	i := -1
	s.mem.keep(func(loc, val) bool { i++; return c.mem[i] })
	i = -1
	s.facts.keep(func(k sym, _ fact) bool {
		i++
		return c.facts[i] || c.lasting(k)
	})
}

// lasting reports whether a fact counts although nothing has the value.
func (c *collector) lasting(k sym) bool {
	s := c.s
	switch {
	case k.v != nil && k.i == 0 && c.alive(k.v):
		return true // its register is in its default state
	case s.freed != nil && s.freed.failable == k, s.pending != nil && s.pending.result == k:
		return true // whether the release, or the operation, took place
	}
	return k.v == nil && c.fi.retested(k.l)
}

func (c *collector) mark(v val) {
	switch v := v.(type) {
	case ptr:
		c.markRoot(v.l.root)
	case sym:
		for i := range c.facts {
			if !c.facts[i] && c.s.facts.list[i].k == v {
				c.facts[i] = true
				break
			}
		}
		if v.v == nil {
			c.markRoot(v.l.root)
		} else {
			c.markRoot(v)
		}
	case *clo:
		for _, b := range v.b {
			c.mark(b)
		}
	case *tup:
		for _, e := range v.vs {
			c.mark(e)
		}
	case *agg:
		for _, e := range v.m {
			c.mark(e)
		}
	}
}

// markRoot marks what lies at a root, and what that leads to.
func (c *collector) markRoot(root any) {
	for i := range c.mem {
		if !c.mem[i] && c.s.mem.list[i].k.root == root {
			c.mem[i] = true
			c.mark(c.s.mem.list[i].v)
		}
	}
}

// isLocal reports whether a memory root dies with the activation unless
// something reachable leads to it.
func isLocal(root any) bool {
	switch root.(type) {
	case sym:
		return false // what a parameter or an unknown pointer points at
	case *ssa.Global:
		return false
	case ssa.Value:
		return true
	}
	return false
}

// redefine forgets what the previous execution of v's instruction meant.
func (r *run) redefine(s *state, v ssa.Value) {
	s.env.del(v)
	s.facts.keep(func(k sym, _ fact) bool { return k.v != v })
	if r.after || r.target != nil {
		s.ageRoot(v)
	}
	for m, x := range s.mem.all() {
		if y, ok := x.(sym); ok && y.v == v {
			s.mem.set(m, sym{v: v, i: 1000 + y.i%1000}) // the value of an earlier iteration
		}
	}
	for m, x := range s.env.all() {
		if y, ok := x.(sym); ok && y.v == v {
			s.env.set(m, sym{v: v, i: 1000 + y.i%1000})
		}
	}
}

// ageRoot renames what an opaque pointer of an earlier iteration led to: the
// next one's leads elsewhere.
//
//	for _, t := range list {
//		t.h.Free()
//	}
func (s *state) ageRoot(v ssa.Value) {
	for m, x := range s.mem.each() {
		if root, ok := m.root.(sym); ok && root.v == v && root.i < 1000 {
			s.mem.del(m)
			root.i += 1000
			m.root = root
			if before, ok := s.mem.get(m); !ok || !s.reach(before) {
				s.mem.set(m, x) // of all earlier ones, the one with the resource counts
			}
		}
	}
}
