// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// status is what has become of the tracked resource on one path.
type status uint8

const (
	unborn status = iota
	live
	released
	moved   // somebody else owns it now
	unknown // something that cannot be seen may own it: no definite finding
)

// fact is what branches have told about an opaque value.
type fact struct {
	isNil  int8 // +1 nil (or zero), -1 not nil
	truth  int8 // bools: +1 true, -1 false
	equals string
	differ string // known not to equal this integer
}

// deferred is a call registered by defer, its operands evaluated at that time.
type deferred struct {
	call *ssa.Defer
	fn   val
	args []val
}

// state is everything known at one point of one path. States are copied at
// forks; values inside are immutable.
type state struct {
	env    table[ssa.Value, val]
	mem    table[loc, val]
	facts  table[sym, fact]
	defers [][]deferred // one stack per activation on the call stack
	status status
	weak   bool // an approximation was needed: at most likely

	visited map[*ssa.BasicBlock]visit    // loops over a container that holds the resource
	may     map[ssa.CallInstruction]bool // calls that cannot be seen and were given it

	freed   *freed   // afterlife runs: what ended it
	pending *pending // afterlife runs: an operation that may still use it

	last   stored
	tested *ssa.BasicBlock // entered because the acquisition was seen to have succeeded

	// The rest explains a finding and does not distinguish states.
	cause     ssa.Value // call whose failure this path is on
	carried   bool      // alive in a later iteration than that of its acquisition
	over      token.Pos // where its only name got another value
	overName  string
	overNil   bool // the other value is nil
	names     map[types.Object]bool
	lateDefer token.Pos // deferred release whose operand was still nil
	lateCall  *ssa.Defer
	trace     []step
}

// visit is how far a loop over a container has come: whether some iteration was
// that of the resource, and what is known of the current one.
type visit struct {
	seen  bool
	other bool // some iteration's element was another
	round bool // the path has been through the body
	now   int8 // +1 this iteration's element is the resource, -1 it is another
}

// step is one event of the path that a finding is explained with.
type step struct {
	pos  token.Pos
	text string
}

func newState() *state {
	return &state{defers: [][]deferred{nil}}
}

func (s *state) clone() *state {
	c := *s
	c.env = s.env.copied()
	c.mem = s.mem.copied()
	c.facts = s.facts.copied()
	c.defers = append([][]deferred(nil), s.defers...)
	if s.visited != nil {
		c.visited = cloneMap(s.visited)
	}
	if s.may != nil {
		c.may = cloneMap(s.may)
	}
	if s.names != nil {
		c.names = cloneMap(s.names)
	}
	c.trace = s.trace[:len(s.trace):len(s.trace)]
	return &c
}

// mapVals puts f of it in the place of every value that the path knows of, those
// inside other values included.
func (s *state) mapVals(f func(val) val) {
	for k, x := range s.env.all() {
		s.env.set(k, mapVal(x, f))
	}
	for m, x := range s.mem.all() {
		s.mem.set(m, mapVal(x, f))
	}
	for i, stack := range s.defers {
		ds := make([]deferred, len(stack))
		for j, d := range stack {
			d.fn = mapVal(d.fn, f)
			d.args = mapEach(d.args, f)
			ds[j] = d
		}
		s.defers[i] = ds
	}
}

func mapVal(x val, f func(val) val) val {
	switch x := x.(type) {
	case *clo:
		return &clo{x.fn, mapEach(x.b, f)}
	case *tup:
		return &tup{mapEach(x.vs, f)}
	case *agg:
		m := make(map[string]val, len(x.m))
		for k, e := range x.m {
			m[k] = mapVal(e, f)
		}
		return &agg{m}
	}
	return f(x)
}

func mapEach(vs []val, f func(val) val) []val {
	list := make([]val, len(vs))
	for i, v := range vs {
		list[i] = mapVal(v, f)
	}
	return list
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m)+2)
	for k, v := range m {
		c[k] = v
	}
	return c
}

func (s *state) note(pos token.Pos, text string) {
	if len(s.trace) >= 12 {
		return // the path is for a person to read
	}
	s.trace = append(s.trace[:len(s.trace):len(s.trace)], step{pos, text})
}

// reach reports whether the tracked resource can be reached from v.
func (s *state) reach(v val) bool {
	return s.reachVia(v, map[loc]bool{})
}

func (s *state) reachVia(v val, seen map[loc]bool) bool {
	switch v := v.(type) {
	case own, done:
		return true
	case ptr:
		return s.reachLoc(v.l, seen)
	case sym:
		// A pointer loaded from a place leads to what is below the place.
		return s.reachLoc(derefSym(v), seen)
	case *clo:
		for _, b := range v.b {
			if s.reachVia(b, seen) {
				return true
			}
		}
	case *tup:
		for _, e := range v.vs {
			if s.reachVia(e, seen) {
				return true
			}
		}
	case *agg:
		for _, e := range v.m {
			if s.reachVia(e, seen) {
				return true
			}
		}
	}
	return false
}

func (s *state) reachLoc(l loc, seen map[loc]bool) bool {
	if seen[l] || s.mem.len() == 0 {
		return false
	}
	seen[l] = true
	for m, v := range s.mem.all() {
		if _, ok := l.under(m); ok && s.reachVia(v, seen) {
			return true
		}
	}
	return false
}

// derefSym is the location that an opaque pointer points at.
func derefSym(v sym) loc {
	if v.v == nil {
		return v.l
	}
	return loc{root: v}
}

// pointee is the location that v points at.
func pointee(v val) (loc, bool) {
	switch v := v.(type) {
	case ptr:
		return v.l, true
	case sym:
		return derefSym(v), true
	}
	return loc{}, false
}

// ownedUnder lists the paths below l at which the tracked resource itself
// lies, in order.
func (s *state) ownedUnder(l loc) []string {
	found := map[string]bool{}
	var walk func(l loc, prefix string, depth int)
	seen := map[loc]bool{}
	walk = func(l loc, prefix string, depth int) {
		if seen[l] || depth > maxSteps {
			return
		}
		seen[l] = true
		for m, v := range s.mem.all() {
			rest, ok := l.under(m)
			if !ok {
				continue
			}
			switch v := v.(type) {
			case own:
				found[prefix+rest] = true
			case ptr:
				walk(v.l, prefix+rest, depth+1)
			case *agg:
				for k, e := range v.m {
					if _, ok := e.(own); ok {
						found[prefix+rest+k] = true
					}
				}
			}
		}
	}
	walk(l, "", 0)
	return sortedKeys(found)
}

// reachable reports whether the path can still name the resource: by a
// register, a deferred call, memory that outlives the activation, or a local
// object whose address is a live register.
func (s *state) reachable(alive func(ssa.Value) bool) bool {
	for _, v := range s.env.all() {
		if s.reach(v) {
			return true
		}
	}
	if s.deferredHold() {
		return true
	}
	for m, v := range s.mem.all() {
		if isLocal(m.root) && (m.old || !alive(m.root.(ssa.Value))) {
			continue // only through a register or another object
		}
		if s.reach(v) {
			return true
		}
	}
	return false
}

// heldByDefer reports whether a deferred call of any activation holds it.
func (s *state) deferredHold() bool {
	for _, stack := range s.defers {
		for _, d := range stack {
			if s.holdsDeferred(d) {
				return true
			}
		}
	}
	return false
}
