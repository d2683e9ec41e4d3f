// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"reflect"

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

// ids numbers registers, blocks and calls in the order they are met, so that
// hashes are the same in every run.
type ids struct {
	m map[any]uint64
}

func (x *ids) of(v any) uint64 {
	if x.m == nil {
		x.m = map[any]uint64{}
	}
	id, ok := x.m[v]
	if !ok {
		id = uint64(len(x.m) + 1)
		x.m[v] = id
	}
	return id
}

// value is the number of a register, which is a pointer: hashing it is cheap.
func (x *ids) value(v ssa.Value) uint64 {
	if v == nil {
		return 0
	}
	return x.of(v)
}

func (x *ids) sym(v sym) uint64 {
	h := mix(x.value(v.v), uint64(v.i))
	if v.l.root == nil {
		return h
	}
	return mix(h, x.loc(v.l))
}

func (x *ids) loc(l loc) uint64 {
	var h uint64
	switch root := l.root.(type) {
	case sym:
		h = mix(16, x.sym(root))
	case ssa.Value:
		h = x.value(root)
	}
	if l.old {
		h = mix(h, 17)
	}
	return mix(h, hashString(l.path))
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)
	a ^= a >> 31
	a *= 0xbf58476d1ce4e5b9
	a ^= a >> 27
	return a
}

// hashString is FNV-1a.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func (x *ids) hash(v val) uint64 {
	switch v := v.(type) {
	case nil:
		return 1
	case nilVal:
		return 2
	case own:
		if v.sub {
			return 4
		}
		return 3
	case done:
		return 5
	case boolVal:
		if v {
			return 6
		}
		return 7
	case intVal:
		return mix(8, hashString(string(v)))
	case sym:
		return mix(9, x.sym(v))
	case ptr:
		return mix(10, x.loc(v.l))
	case view:
		return mix(15, x.of(v.l))
	case *clo:
		h := mix(11, x.of(v.fn))
		for _, b := range v.b {
			h = mix(h, x.hash(b))
		}
		return h
	case *tup:
		h := uint64(12)
		for _, e := range v.vs {
			h = mix(h, x.hash(e))
		}
		return h
	case *agg:
		h := uint64(13)
		for k, e := range v.m {
			h += mix(hashString(k), x.hash(e))
		}
		return h
	}
	return mix(14, hashString(reflect.TypeOf(v).String()))
}

// key identifies a state up to what explains it.
func (s *state) key(x *ids) uint64 {
	h := mix(uint64(s.status), uint64(len(s.defers)))
	if s.weak {
		h = mix(h, 77)
	}
	var sum uint64
	for k, v := range s.env.all() {
		sum += mix(x.value(k), x.hash(v))
	}
	h = mix(h, sum)
	sum = 0
	for k, v := range s.mem.all() {
		sum += mix(x.loc(k), x.hash(v))
	}
	h = mix(h, sum)
	sum = 0
	for k, f := range s.facts.all() {
		sum += mix(x.sym(k), mix(mix(uint64(uint8(f.isNil))<<8|uint64(uint8(f.truth)), hashString(f.equals)), hashString(f.differ)))
	}
	h = mix(h, sum)
	for _, stack := range s.defers {
		h = mix(h, uint64(len(stack)))
		for _, d := range stack {
			h = mix(h, x.of(d.call))
			h = mix(h, x.hash(d.fn))
			for _, a := range d.args {
				h = mix(h, x.hash(a))
			}
		}
	}
	sum = 0
	if s.last.index != nil && s.reach(s.last.v) {
		sum += mix(24, x.of(s.last.index))
	}
	if s.freed != nil {
		sum += mix(25, x.of(s.freed.in)+1)
	}
	if s.pending != nil {
		sum += mix(26, x.of(s.pending.call))
	}
	if s.tested != nil {
		sum += mix(23, x.of(s.tested))
	}
	for b, v := range s.visited {
		h := mix(21, x.of(b))
		for i, flag := range []bool{v.seen, v.other, v.round} {
			if flag {
				h = mix(h, uint64(i+1))
			}
		}
		sum += mix(h, uint64(uint8(v.now)))
	}
	for c := range s.may {
		sum += mix(22, x.of(c))
	}
	return mix(h, sum)
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
