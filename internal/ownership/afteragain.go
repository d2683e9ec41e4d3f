// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// sameClass reports whether an effect can be about the resource that is
// followed: one handle may have several, a packet and its data.
func (r *run) sameClass(s *state, iv *invocation, eff *rules.Effect) bool {
	c := r.e.classOfEffect(iv, eff)
	var want string
	switch {
	case r.target != nil:
		want = r.target.acq.class.Name
	case s.freed != nil:
		want = s.freed.class
	}
	if c == nil || want == "" || c.Name == want || strings.Contains(want, ":") {
		return true // an owner's, or of C types: there is no telling
	}
	if contains(c.Accepts, want) {
		return true
	}
	known := r.e.models.ClassByName(want)
	return known == nil || contains(known.Accepts, c.Name)
}

// holds evaluates whether a conditional effect takes place.
func (r *run) holds(s *state, iv *invocation, eff *rules.Effect) (yes, known bool) {
	switch eff.When.Kind {
	case rules.CondArg:
		i := eff.When.Arg
		if iv.method {
			i++
		}
		b, known := r.boolArg(s, iv, i)
		return b != eff.When.Negate, known
	case rules.CondMaybe, rules.CondElems:
		return false, false
	}
	return !eff.Partial, true
}

// again is a second release. It reports whether the path is done.
func (r *run) again(s *state, iv *invocation, eff *rules.Effect) bool {
	f := s.freed
	if s.sawFailure(f.failable) {
		return true // the first one failed
	}
	m := misuse{kind: ReleasedTwice, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), certain: report.Definite}
	_, m.late = iv.in.(*ssa.Defer)
	if eff != nil && eff.Advisory {
		return false
	}
	again := r.againOf(s, iv, eff)
	// A copy of a struct-valued handle does not know that the other was
	// released.
	for _, i := range r.direct(s, iv) {
		if p, ok := iv.args[i].(ptr); ok && f.hasCell && p.l != f.cell && isLocal(p.l.root) {
			m.copied = true
		}
	}
	switch {
	case eff != nil && eff.Op == rules.OpAdopt && again == rules.AgainOK:
		return false // two share it, and each may release it
	case f.kept || m.copied:
	case again == rules.AgainOK:
		return false
	case again == rules.AgainError && !f.raw && !r.isRaw(s, iv):
		return false // the handle knows, and says so
	case again == rules.AgainUnknown:
		m.certain = report.Likely
	}
	r.blame(s, m)
	return true
}

// isRaw reports whether the handle is a bare C pointer or number, which does not
// know that it was released.
func (r *run) isRaw(s *state, iv *invocation) bool {
	for _, i := range r.direct(s, iv) {
		if i >= len(iv.common.Args) {
			continue
		}
		t := iv.common.Args[i].Type()
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer || cTypeKey(t) != "" {
			return true
		}
		if n := namedOf(t); n != nil && strings.HasPrefix(n.Obj().Name(), "_Ctype_") {
			return true
		}
	}
	return false
}

// againOf is what the library says about a second release, by whichever of the
// two calls a model speaks of.
func (r *run) againOf(s *state, iv *invocation, eff *rules.Effect) rules.Again {
	switch f := s.freed; {
	case f.preset:
		return rules.AgainCrash // asked whether it releases at all
	case eff != nil && eff.Again != rules.AgainUnknown:
		return eff.Again
	case f.again != rules.AgainUnknown:
		return f.again
	}
	if eff != nil {
		if c := r.e.classOfEffect(iv, eff); c != nil {
			return c.Again
		}
	}
	if r.target != nil {
		if c := r.e.models.ClassByName(r.target.acq.class.Name); c != nil {
			return c.Again
		}
	}
	for _, i := range r.direct(s, iv) {
		if i < len(iv.common.Args) {
			if c := r.e.classOfType(iv.common.Args[i].Type()); c != nil {
				return c.Again
			}
		}
	}
	return rules.AgainUnknown
}

func (r *run) use(s *state, iv *invocation, certain report.Tier) {
	m := misuse{kind: UsedAfter, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), certain: certain}
	if call, ok := iv.in.(*ssa.Call); ok {
		m.end = r.e.callEnd(call)
	}
	_, m.late = iv.in.(*ssa.Defer)
	if r.e.inTest(m.pos) && fails(iv.common.Signature()) {
		m.certain = report.Possible // a test that wants to see the error
	}
	r.blame(s, m)
}
