// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// arg returns the operand that a place starts from.
func (iv *invocation) arg(p rules.Place) (val, int, bool) {
	i := -1
	switch p.Kind {
	case rules.PlaceRecv:
		i = 0
	case rules.PlaceParam:
		i = p.Index
		if iv.method {
			i++
		}
	}
	if i < 0 || i >= len(iv.args) {
		return nil, i, false
	}
	return iv.args[i], i, true
}

func pathOf(p rules.Place) string {
	s := ""
	for _, step := range p.Path {
		s += step
	}
	return s
}

// hits reports whether the place of an effect is, or holds, the resource.
func (r *run) hits(s *state, iv *invocation, p rules.Place) bool {
	v, _, ok := iv.arg(p)
	if !ok {
		return false
	}
	return s.reach(v)
}

// applyModel does what the library's model says.
func (r *run) applyModel(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	m := iv.model
	states := []*state{s}
	forked := false
	if r.after && s.status == live {
		r.leases(s, iv)
	}
	for _, e := range m.Effects {
		var next []*state
		for _, s := range states {
			out, f := r.applyEffect(s, iv, e)
			if f {
				forked = true
				next = append(next, out...)
			} else {
				next = append(next, s)
			}
		}
		states = next
	}
	// Literals handed to a library run there, once: callbacks, no-grad scopes.
	for i := range iv.args {
		if c, ok := iv.args[i].(*clo); ok && c.fn.Object() == nil {
			var next []*state
			for _, s := range states {
				if !r.concerns(s, c) {
					s.escapeCells(c)
					next = append(next, s)
				} else if out, ok := r.runCallback(fr, s, c); ok {
					forked = true
					next = append(next, out...)
				} else {
					next = append(next, s)
				}
			}
			states = next
		}
	}
	if forked {
		return states, true
	}
	return nil, false
}

// runCallback executes a literal in place with unknown arguments.
func (r *run) runCallback(fr *frame, s *state, c *clo) ([]*state, bool) {
	iv := &invocation{common: &ssa.CallCommon{}, fn: c}
	for _, p := range c.fn.Params {
		iv.args = append(iv.args, sym{v: p})
	}
	return r.inline(fr, s, c, iv)
}

func (r *run) applyEffect(s *state, iv *invocation, e rules.Effect) ([]*state, bool) {
	switch e.Op {
	case rules.OpRelease, rules.OpConsume, rules.OpAdopt, rules.OpSweep:
		if s.status != live || r.after && !r.sameClass(s, iv, &e) {
			return nil, false
		}
		if e.Place.Kind == rules.PlaceNone {
			if e.Class == nil || r.target == nil || r.target.acq.class.Name != e.Class.Name {
				return nil, false
			}
			// surface.DiscardTexture(), mlx.Sweep(): which ones it finds cannot be
			// told, so it counts for all. Behind a release it may be another one.
			if !r.target.acq.class.Process && (!e.Keyed && e.Op != rules.OpSweep || r.after) {
				return nil, false
			}
		} else if !r.hits(s, iv, e.Place) {
			return nil, false
		}
		if e.Partial {
			return nil, false // the handle remains
		}
		return r.end(s, iv, e)
	case rules.OpAcquire, rules.OpGive:
		r.refill(s, iv, e)
	case rules.OpAlias:
		if s.status == live && e.Place.Kind == rules.PlaceResult && iv.value != nil {
			if v, _, ok := iv.arg(e.Of); ok && s.reach(v) {
				r.setResult(s, iv, e.Place.Index, v)
			}
		}
	case rules.OpRetain:
		if r.after && s.status == live && r.hits(s, iv, e.Place) {
			s.status = unknown // another reference: a release is not the end
			return r.settle(s)
		}
	case rules.OpPin, rules.OpArena:
		if s.status == live && r.hits(s, iv, e.Place) {
			s.status = unknown
			return r.settle(s)
		}
	case rules.OpNoReturn:
		return nil, true
	}
	return nil, false
}

func (r *run) setResult(s *state, iv *invocation, i int, v val) {
	n := iv.common.Signature().Results().Len()
	if n == 1 {
		s.set(iv.value, v)
		return
	}
	vs := make([]val, n)
	for j := range vs {
		vs[j] = sym{v: iv.value, i: j + 1}
	}
	if t, ok := s.env.at(iv.value).(*tup); ok && len(t.vs) == n {
		copy(vs, t.vs)
	}
	if i < n {
		vs[i] = v
	}
	s.set(iv.value, &tup{vs})
}

// end releases or consumes, under the effect's condition.
func (r *run) end(s *state, iv *invocation, e rules.Effect) ([]*state, bool) {
	r.effect = &e
	defer func() { r.effect = nil }()
	final := released
	switch {
	case e.Op == rules.OpRelease || e.Op == rules.OpConsume && e.Of.Kind == rules.PlaceNone:
	case r.after && e.Op != rules.OpSweep: // what took it over has it, and may be asked
	default:
		final = moved
	}
	switch e.When.Kind {
	case rules.CondArg:
		i := e.When.Arg
		if iv.method {
			i++
		}
		b, known := r.boolArg(s, iv, i)
		switch {
		case !known:
			s.status = unknown
		case b == e.When.Negate:
			return nil, false
		default:
			s.status = final
		}
	case rules.CondSuccess, rules.CondFailure:
		t := s.clone()
		good := e.When.Kind == rules.CondSuccess
		r.mark(s, iv, good)
		s.status = final
		r.mark(t, iv, !good)
		if _, ended := r.settle(s); !ended {
			return []*state{s, t}, true
		}
		return []*state{t}, true
	case rules.CondResult:
		t := s.clone()
		s.status = final
		_, ended := r.settle(s)
		if iv.value != nil {
			k := sym{v: iv.value, i: e.When.Arg + 1}
			if iv.common.Signature().Results().Len() == 1 {
				k.i = 0
			}
			t.facts.set(k, fact{truth: -1})
		}
		if !ended {
			return []*state{s, t}, true
		}
		return []*state{t}, true
	case rules.CondElems, rules.CondMaybe:
		s.status = unknown
	default:
		s.status = final
	}
	return r.settle(s)
}

// boolArg evaluates a bool argument; an absent variadic one is false.
func (r *run) boolArg(s *state, iv *invocation, i int) (b, known bool) {
	if i >= len(iv.args) {
		return false, true
	}
	switch v := iv.args[i].(type) {
	case boolVal:
		return bool(v), true
	case nilVal:
		return false, true
	case ptr: // delOpt ...bool
		if b, ok := s.mem.at(v.l.field("[0]")).(boolVal); ok {
			return bool(b), true
		}
	}
	return false, false
}

// condArg evaluates the argument that a summary's effect depends on: a bool, or
// whether an error is nil.
func (r *run) condArg(s *state, iv *invocation, i int) (b, known bool) {
	j := i
	if iv.common.Signature().Recv() != nil && !iv.common.IsInvoke() || iv.method {
		j--
	}
	params := iv.common.Signature().Params()
	if j < 0 || j >= params.Len() || i >= len(iv.args) || !isError(params.At(j).Type()) {
		return r.boolArg(s, iv, i)
	}
	switch v := iv.args[i].(type) {
	case nilVal:
		return true, true
	case sym:
		if f, ok := s.facts.get(v); ok && f.isNil != 0 {
			return f.isNil > 0, true
		}
		if nonNil(s, v, nil) {
			return false, true
		}
	}
	return false, false
}

// refill is another acquisition into memory that may hold the resource: its
// handle is overwritten.
func (r *run) refill(s *state, iv *invocation, e rules.Effect) {
	if e.Place.Kind != rules.PlaceParam && e.Place.Kind != rules.PlaceRecv || iv.value == nil {
		return
	}
	v, i, ok := iv.arg(e.Place)
	if !ok {
		return
	}
	l, ok := pointee(v)
	if !ok || s.status == unborn && !isLocal(l.root) {
		return
	}
	r.put(s, l.field(pathOf(e.Place)), sym{v: iv.value, i: 100 + i}, r.e.posOf(iv.in))
}
