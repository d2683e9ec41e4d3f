// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

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
	switch {
	case a.param >= 0: // an out-parameter or the receiver
		if a.param < len(iv.args) {
			if l, ok := pointee(iv.args[a.param]); ok {
				if a.class.Inferred && strings.HasSuffix(l.path, "]") {
					return nil, true // &outs[0]: an array that the caller filled
				}
				if v, set := s.mem.get(l); a.class.Inferred && set && !isNilLike(v) {
					return nil, true // it holds something already: an argument
				}
				r.put(s, s.below(l, a.path), own{}, iv.in.Pos())
				s.over = 0
			}
		}
	case a.result >= 0 && iv.value != nil:
		v := r.bornValue(s, iv, a, sig)
		s.env.del(iv.value)
		r.setResult(s, iv, a.result, v)
	}
	if a.cleanup >= 0 && iv.value != nil && a.cleanup != a.result {
		r.setResult(s, iv, a.cleanup, done{}) // also of what is the process's own: stop, err := lib.Init()
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
		s.facts.set(k, fact{truth: t})
	}
	return r.cancels(s, iv)
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
	for m, v := range s.mem.all() {
		if _, ok := p.l.under(m); ok && !isNilLike(v) {
			return false
		}
	}
	return !s.havocked(p.l)
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
	s.mem.set(l.field(a.path), own{})
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
		s.facts.set(k, f)
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
	if m := iv.model; m != nil && m.Success == rules.SuccessNonNil && !isError(res.At(n-1).Type()) {
		f := fact{isNil: 1}
		if ok {
			f.isNil = -1
		}
		set(key(0), f)
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
