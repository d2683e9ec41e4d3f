// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// leases marks what a modelled call makes lean on the resource: a view or a
// borrowed part of it, or an object that keeps a reference to it.
func (r *run) leases(s *state, iv *invocation) {
	if iv.model == nil || iv.value == nil || s.freed != nil {
		return
	}
	for i := range iv.model.Effects {
		eff := &iv.model.Effects[i]
		var of, to rules.Place
		kept := false
		switch eff.Op {
		case rules.OpView:
			if eff.Owned {
				continue // a header of its own: the storage is counted
			}
			of, to = eff.Of, eff.Place
		case rules.OpBorrow:
			of, to = eff.Of, eff.Place
		case rules.OpKeep:
			of, to, kept = eff.Place, eff.Of, true
		default:
			continue
		}
		v, _, ok := iv.arg(of)
		if !ok || !s.isDirect(v) || to.Kind != rules.PlaceResult || to.All {
			continue
		}
		l := r.lease(iv, kept)
		if x := r.resultOf(s, iv, to.Index); s.reach(x) {
			continue // it is the resource
		}
		r.setResult(s, iv, to.Index, view{l})
	}
}

func (r *run) resultOf(s *state, iv *invocation, i int) val {
	switch x := s.env.at(iv.value).(type) {
	case *tup:
		if i < len(x.vs) {
			return x.vs[i]
		}
	case nil:
	default:
		if i == 0 {
			return x
		}
	}
	return nil
}

// lease is the one record for what a call makes, so that states compare equal.
func (r *run) lease(iv *invocation, kept bool) *lease {
	if r.made == nil {
		r.made = map[ssa.Value]*lease{}
	}
	l := r.made[iv.value]
	if l == nil {
		l = &lease{pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), kept: kept}
		r.made[iv.value] = l
	}
	return l
}

// leaseIn finds a view in a value.
func (s *state) leaseIn(v val) *lease {
	switch v := v.(type) {
	case view:
		return v.l
	case ptr:
		if x, ok := s.mem.at(v.l).(view); ok {
			return x.l // &v
		}
		if x, ok := s.mem.at(v.l.field("[]")).(view); ok {
			return x.l
		}
	case *agg:
		for _, k := range sortedKeys(v.m) {
			if x, ok := v.m[k].(view); ok {
				return x.l
			}
		}
	case *tup:
		for _, e := range v.vs {
			if l := s.leaseIn(e); l != nil {
				return l
			}
		}
	}
	return nil
}

// viewUsed reports a view that is handed to a call after its resource ended.
func (r *run) viewUsed(s *state, iv *invocation) bool {
	for i, a := range iv.args {
		l := s.leaseIn(a)
		if l == nil {
			continue
		}
		certain := report.Definite
		switch {
		case l.kept && iv.model == nil, iv.model != nil && r.endsPlace(iv, i):
			continue // put away, which is no use
		case iv.obj == nil:
			return true
		case asksState(iv.obj.Name()) || iv.obj.Name() == "KeepAlive":
			continue
		case iv.model == nil && !r.e.foreign(iv) || l.kept:
			certain = report.Likely
		}
		m := misuse{kind: Outlived, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), view: l, certain: certain}
		_, m.late = iv.in.(*ssa.Defer)
		r.blame(s, m)
		return true
	}
	return false
}

// endsPlace reports whether a model releases argument i.
func (r *run) endsPlace(iv *invocation, i int) bool {
	for _, eff := range iv.model.Effects {
		switch eff.Op {
		case rules.OpRelease, rules.OpConsume, rules.OpAdopt, rules.OpUnpin:
			if _, j, ok := iv.arg(eff.Place); ok && i == j {
				return true
			}
		}
	}
	return false
}

// afterReturn looks at what a function gives away when the resource has ended.
func (r *run) afterReturn(ret ret) {
	s := ret.s
	if s.freed == nil || s.freed.preset {
		return
	}
	ok, err := exitClass(ret)
	if !ok {
		return // the caller does not look at the results of a failure
	}
	certain := report.Definite
	if err {
		if sig := ret.in.Parent().Signature; fails(sig) {
			certain = report.Likely // it may be a failure
		}
	}
	pos := exitPos(ret.in)
	for _, v := range ret.vals {
		if o, isOwn := v.(own); isOwn && !o.sub && s.freed.taken == "" {
			r.blame(s, misuse{kind: UsedAfter, pos: pos, callee: "return", certain: certain})
			return
		}
		if l := s.leaseIn(v); l != nil {
			if l.kept {
				certain = report.Likely // it may not look at it any more
			}
			r.blame(s, misuse{kind: Outlived, pos: pos, callee: "return", view: l, certain: certain})
			return
		}
	}
	if _, deferred := s.freed.in.(*ssa.Defer); deferred && s.freed.taken == "" {
		for _, v := range ret.vals {
			if s.holdsOwn(v) {
				r.blame(s, misuse{kind: UsedAfter, pos: pos, callee: "return", certain: report.Likely})
				return
			}
		}
		for m, v := range s.mem.all() {
			if isMain(r.root) {
				break // nothing runs behind it
			}
			if o, isOwn := v.(own); isOwn && !o.sub && m.path != "" && !strings.Contains(m.path, "[") && r.outside(m) {
				r.blame(s, misuse{kind: UsedAfter, pos: s.freed.pos, callee: "store", certain: report.Likely})
				return
			}
		}
	}
	if isMain(r.root) {
		return // nothing runs behind it
	}
	var kept *lease
	for m, v := range s.mem.all() {
		if isLocal(m.root) {
			continue
		}
		if x, isView := v.(view); isView && !x.l.kept && (kept == nil || x.l.pos < kept.pos) {
			kept = x.l
		}
	}
	if kept != nil {
		r.blame(s, misuse{kind: Outlived, pos: kept.pos, callee: "store", view: kept, certain: report.Likely})
	}
}

// pends notes an operation that goes on after the call that starts it.
func (r *run) pends(s *state, iv *invocation) {
	if iv.in == nil {
		return
	}
	if iv.model == nil {
		r.pendsInside(s, iv)
		return
	}
	for _, eff := range iv.model.Effects {
		if eff.Op != rules.OpAsync {
			continue
		}
		v, _, ok := iv.arg(eff.Place)
		if !ok || !s.reach(v) {
			continue
		}
		p := &pending{call: iv.in, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), result: resultSym(iv)}
		p.writes = eff.Place.Kind == rules.PlaceParam && eff.Place.Index < len(iv.model.Params) && strings.HasPrefix(strings.ToLower(iv.model.Params[eff.Place.Index].Name), "dst")
		if st, _, ok := iv.arg(eff.Of); ok {
			p.stream = st
		}
		s.pending = p
	}
}

// pendsInside notes an operation that a helper of the package starts. On which
// stream is not known: whatever waits then ends it.
func (r *run) pendsInside(s *state, iv *invocation) {
	if iv.callee == nil || iv.obj == nil || !r.e.local(iv.callee) {
		return
	}
	for i, a := range iv.args {
		if o, ok := a.(own); !ok || o.sub {
			continue
		}
		if at := r.e.startsIn(iv.callee, i); at != nil {
			s.pending = &pending{call: iv.in, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), result: resultSym(iv)}
			return
		}
	}
}

// waits ends the pending operation if the call waits for its stream, or may.
func (r *run) waits(s *state, iv *invocation) {
	p := s.pending
	if p == nil || iv.in == p.call {
		return
	}
	if iv.model == nil {
		switch {
		case iv.obj == nil && iv.fn != nil:
			return // a literal, which is executed
		case iv.obj != nil && r.e.foreign(iv) && !hasWord(iv.obj.Name(), waitWords):
			return
		case iv.callee != nil && iv.obj != nil && r.e.local(iv.callee) && !r.e.mayWait(iv.callee):
			return // its body is in sight
		}
		s.pending = nil // it may wait
		return
	}
	for _, eff := range iv.model.Effects {
		if eff.Op != rules.OpSync {
			continue
		}
		if st, _, ok := iv.arg(eff.Place); ok && p.stream != nil && s.otherStream(st, p.stream) {
			continue
		}
		s.pending = nil
		return
	}
	if iv.obj != nil {
		// A copy that returns when it is done runs behind all that came before
		// on the default stream, and blocking streams wait for it.
		if name := iv.obj.Name(); hasWord(name, []string{"memcpy", "download", "tohost", "copytohost", "readback"}) && !hasWord(name, []string{"async", "withstream"}) {
			s.pending = nil
		}
	}
}

// otherStream reports whether two stream values are certainly not the same.
func (s *state) otherStream(a, b val) bool {
	x, ok := a.(sym)
	y, also := b.(sym)
	switch {
	case !ok || !also || x == y:
		return false
	case x.v == nil && y.v == nil:
		return otherPlaces(x.l, y.l)
	}
	return x.v != nil && y.v != nil && isOrigin(x.v) && isOrigin(y.v)
}

func isOrigin(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Call, *ssa.Parameter, *ssa.Extract:
		return true
	}
	return false
}

// waitsNot reports whether the release does not itself wait for the device, or
// is not promised to.
func (r *run) waitsNot(f *freed) bool {
	name := strings.ToLower(f.callee)
	switch {
	case f.taken != "":
		return false
	case strings.Contains(name, "async"):
		return false // ordered behind the operation, on its stream
	}
	return true
}

// holdsOwn reports whether an object has the handle in one of its fields.
func (s *state) holdsOwn(v val) bool {
	switch v := v.(type) {
	case ptr:
		for m, x := range s.mem.all() {
			if rest, ok := v.l.under(m); ok && rest != "" && !strings.Contains(rest, "[") {
				if o, isOwn := x.(own); isOwn && !o.sub {
					return true
				}
			}
		}
	case *agg:
		for _, x := range v.m {
			if o, isOwn := x.(own); isOwn && !o.sub {
				return true
			}
		}
	}
	return false
}

// isMain reports whether fn is where the program ends.
func isMain(fn *ssa.Function) bool {
	return fn.Name() == "main" && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" && fn.Parent() == nil && fn.Signature.Recv() == nil
}

// outside reports whether a place is a field of the receiver, or of a package
// variable: it is there when the function has returned.
func (r *run) outside(m loc) bool {
	switch root := m.root.(type) {
	case *ssa.Global:
		return true
	case sym:
		p, ok := root.v.(*ssa.Parameter)
		return ok && p.Parent() == r.root && r.root.Signature.Recv() != nil && len(r.root.Params) > 0 && r.root.Params[0] == p && r.target != nil
	}
	return false
}
