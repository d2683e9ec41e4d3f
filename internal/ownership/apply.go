// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

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

// bear executes the call that acquires the resource, on the assumption that it
// succeeds: a path on which it fails holds nothing.
func (r *run) bear(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	a := r.target.acq
	if a.when.Kind == rules.CondArg {
		// Acquires only if an argument says so.
		i := a.when.Arg
		if iv.method {
			i++
		}
		if i < len(iv.args) {
			b, known := iv.args[i].(boolVal)
			if known && bool(b) == a.when.Negate {
				return nil, true
			}
			if !known {
				s.weak = true
			}
		}
	}
	if (a.fill || a.local) && !r.bornInto(s, iv, a) {
		return nil, true
	}
	for _, f := range r.stack {
		r.birth[f.fn] = f.cur
	}
	r.born = true
	s.status = live
	s.note(r.e.posOf(iv.in), "acquired here")
	sig := iv.common.Signature()
	n := sig.Results().Len()
	switch {
	case a.param >= 0: // an out-parameter or the receiver
		if a.param < len(iv.args) {
			if l, ok := pointee(iv.args[a.param]); ok {
				if a.class.Inferred && strings.HasSuffix(l.path, "]") {
					return nil, true // &outs[0]: an array that the caller filled
				}
				r.put(s, l.field(a.path), own{}, iv.in.Pos())
				s.over = 0
			}
		}
	case a.result >= 0 && iv.value != nil:
		v := r.bornValue(s, iv, a, sig)
		if n > 1 {
			vs := make([]val, n)
			for i := range vs {
				vs[i] = sym{v: iv.value, i: i + 1}
			}
			vs[a.result] = v
			if a.cleanup >= 0 {
				vs[a.cleanup] = done{}
			}
			s.set(iv.value, &tup{vs})
		} else {
			s.set(iv.value, v)
		}
	}
	if a.failing {
		r.mark(s, iv, false)
	} else if a.when.Kind != rules.CondAlways {
		r.mark(s, iv, true)
	}
	if a.when.Kind == rules.CondResult && iv.value != nil {
		k := sym{v: iv.value, i: a.when.Arg + 1}
		t := int8(1)
		if a.when.Negate {
			t = -1
		}
		s.facts[k] = fact{truth: t}
	}
	return nil, false
}

// bornInto reports whether an argument is the caller's own object, and, where
// only nil elements are filled, one whose elements were never set.
func (r *run) bornInto(s *state, iv *invocation, a acquisition) bool {
	if a.param >= len(iv.args) {
		return false
	}
	if x, ok := iv.args[a.param].(sym); ok && !a.fill {
		_, isParam := x.v.(*ssa.Parameter)
		return isParam // on to this function's own argument
	}
	p, ok := iv.args[a.param].(ptr)
	if !ok || !isLocal(p.l.root) {
		return false
	}
	if !a.fill {
		return true
	}
	switch p.l.root.(type) {
	case *ssa.MakeSlice, *ssa.Alloc:
	default:
		return false // appended or returned: who knows what is in it
	}
	for m, v := range s.mem {
		if _, ok := p.l.under(m); ok && !isNilLike(v) {
			return false
		}
	}
	return true
}

// bornValue is the value of the result that holds the new resource.
func (r *run) bornValue(s *state, iv *invocation, a acquisition, sig *types.Signature) val {
	if a.isFunc {
		return done{}
	}
	if a.path == "" {
		return own{}
	}
	t := sig.Results().At(a.result).Type()
	if _, ok := t.Underlying().(*types.Struct); ok {
		return &agg{map[string]val{a.path: own{}}}
	}
	l := loc{root: iv.value}
	s.mem[l.field(a.path)] = own{}
	return ptr{l}
}

// mark records that a call succeeded or failed, in the way its signature
// tells: an error, a status code, an ok.
func (r *run) mark(s *state, iv *invocation, ok bool) {
	if iv.value == nil {
		return // deferred: nobody looks at the result
	}
	res := iv.common.Signature().Results()
	n := res.Len()
	if n == 0 {
		return
	}
	key := func(i int) sym {
		if n == 1 {
			return sym{v: iv.value}
		}
		return sym{v: iv.value, i: i + 1}
	}
	set := func(k sym, f fact) {
		s.facts[k] = f
	}
	if m := iv.model; m != nil && m.Success == rules.SuccessStatus && m.StatusResult < n {
		f := fact{equals: itoa(m.StatusValue)}
		if !ok {
			f = fact{differ: itoa(m.StatusValue)}
		}
		set(key(m.StatusResult), f)
		if n == 2 && isError(res.At(1).Type()) && ok {
			set(key(1), fact{isNil: 1}) // C.f() in its two-result form
		}
		return
	}
	last := res.At(n - 1).Type()
	switch {
	case r.target != nil && r.target.acq.class.Inferred && r.target.acq.param >= 0 && isPointer(res.At(0).Type()):
		f := fact{isNil: 1} // C.CreateX(&x) *C.Status: nil says success
		if !ok {
			f.isNil = -1
		}
		set(key(0), f)
	case isError(last):
		f := fact{isNil: 1}
		if !ok {
			f.isNil = -1
		}
		set(key(n-1), f)
	case isStatus(last) && statusName(last):
		f := fact{equals: "0"}
		if !ok {
			f = fact{differ: "0"}
		}
		set(key(n-1), f)
	case n > 1 && isBool(last):
		f := fact{truth: 1}
		if !ok {
			f.truth = -1
		}
		set(key(n-1), f)
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// statusName reports whether a named integer type reads like a status code.
func statusName(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	return statusWord(n.Obj().Name())
}

// applyModel does what the library's model says.
func (r *run) applyModel(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	m := iv.model
	states := []*state{s}
	forked := false
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
	if m.Success != rules.SuccessAuto || !forked {
		_ = m
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
		if s.status != live {
			return nil, false
		}
		if e.Place.Kind == rules.PlaceNone {
			if e.Class == nil || r.target == nil || !r.target.acq.class.Process || r.target.acq.class.Name != e.Class.Name {
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
	case rules.OpPin, rules.OpArena:
		if s.status == live && r.hits(s, iv, e.Place) {
			s.status = unknown
			return r.settle(s)
		}
	case rules.OpCancel:
		if s.status == live && r.hits(s, iv, e.Place) {
			s.status = released
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
	if t, ok := s.env[iv.value].(*tup); ok && len(t.vs) == n {
		copy(vs, t.vs)
	}
	if i < n {
		vs[i] = v
	}
	s.set(iv.value, &tup{vs})
}

// end releases or consumes, under the effect's condition.
func (r *run) end(s *state, iv *invocation, e rules.Effect) ([]*state, bool) {
	final := released
	if e.Op != rules.OpRelease {
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
		r.settle(s)
		r.mark(t, iv, !good)
		return []*state{t}, true
	case rules.CondResult:
		t := s.clone()
		s.status = final
		r.settle(s)
		if iv.value != nil {
			k := sym{v: iv.value, i: e.When.Arg + 1}
			if iv.common.Signature().Results().Len() == 1 {
				k.i = 0
			}
			t.facts[k] = fact{truth: -1}
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
		if b, ok := s.mem[v.l.field("[0]")].(boolVal); ok {
			return bool(b), true
		}
	}
	return false, false
}

// registers reports whether the callee runs a func argument later, surely: the
// registered release of a test, a context or a group.
func (r *run) registers(iv *invocation) bool {
	if iv.obj == nil || iv.obj.Pkg() == nil {
		return false
	}
	switch iv.obj.Pkg().Path() {
	case "testing":
		return iv.obj.Name() == "Cleanup" || iv.obj.Name() == "Run"
	case "context":
		return iv.obj.Name() == "AfterFunc"
	case "runtime":
		return iv.obj.Name() == "AddCleanup" || iv.obj.Name() == "SetFinalizer"
	case "sync":
		return iv.obj.Name() == "Do" || iv.obj.Name() == "Go"
	case "slices", "sort", "maps", "strings":
		return true
	}
	return false
}

// callArgs runs the literals among the arguments; the callee itself does
// nothing else with the resource.
func (r *run) callArgs(fr *frame, s *state, iv *invocation, surely bool) ([]*state, bool) {
	if s.status == live && iv.obj.Pkg().Path() == "runtime" {
		for _, a := range iv.args {
			if s.reach(a) {
				s.status = unknown // a finalizer: late, but not never
				return r.settle(s)
			}
		}
	}
	sync := iv.obj.Pkg().Path() != "testing" || iv.obj.Name() != "Cleanup"
	for _, a := range iv.args {
		c, ok := a.(*clo)
		if !ok {
			continue
		}
		if c.fn.Object() != nil {
			// t.Cleanup(m.Close): a bound method.
			if s.status == live && s.reach(c) {
				civ := &invocation{in: iv.in, common: &ssa.CallCommon{Value: c.fn}, fn: c}
				r.resolve(civ)
				return r.invoke(fr, s, civ)
			}
			continue
		}
		if sync && iv.obj.Name() != "AfterFunc" && iv.obj.Name() != "Go" {
			if out, ok := r.runCallback(fr, s, c); ok {
				return out, true
			}
			continue
		}
		if s.status == live && s.reach(c) {
			return r.tryClosure(fr, s, c, nil, false)
		}
		if s.status == unborn {
			// Registered before the acquisition: t.Cleanup(func() { x.Close() })
			// with x assigned later. Run it when the function ends.
			s.defers[0] = append(s.defers[0][:len(s.defers[0]):len(s.defers[0])], deferred{call: r.e.cleanupDefer(iv.in), fn: c})
		}
	}
	for _, a := range iv.args {
		if _, ok := a.(done); ok && s.status == live {
			s.status = released
			return r.settle(s)
		}
	}
	return nil, false
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
