// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"
)

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
	byRoot := make(map[any][]val, len(s.mem))
	for m, v := range s.mem {
		byRoot[m.root] = append(byRoot[m.root], v)
	}
	var mark func(v val)
	markLoc := func(l loc) {
		held, ok := byRoot[l.root]
		if !ok || roots[l.root] {
			return // nothing lies there
		}
		roots[l.root] = true
		for _, v := range held {
			mark(v)
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
		if s.freed != nil && s.freed.failable == k || s.pending != nil && s.pending.result == k {
			continue // whether the release, or the operation, took place
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
	delete(s.env, v)
	for k := range s.facts {
		if k.v == v {
			delete(s.facts, k)
		}
	}
	if r.after || r.target != nil {
		s.ageRoot(v)
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

// ageRoot renames what an opaque pointer of an earlier iteration led to: the
// next one's leads elsewhere.
//
//	for _, t := range list {
//		t.h.Free()
//	}
func (s *state) ageRoot(v ssa.Value) {
	for m, x := range s.mem {
		if root, ok := m.root.(sym); ok && root.v == v && root.i < 1000 {
			delete(s.mem, m)
			root.i += 1000
			m.root = root
			if before, ok := s.mem[m]; !ok || !s.reach(before) {
				s.mem[m] = x // of all earlier ones, the one with the resource counts
			}
		}
	}
}
