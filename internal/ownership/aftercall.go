// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// reopens reports whether a method's name says that it gives the handle a new
// resource.
func reopens(name string) bool {
	return hasWord(name, []string{"open", "init", "reset", "load", "alloc", "create", "start", "resize", "reuse", "renew", "restart", "connect", "setup", "attach", "swap", "assign"})
}

// asksState reports whether a method only asks whether the handle is still
// good.
func asksState(name string) bool {
	n := strings.ToLower(name)
	if strings.HasPrefix(name, "Test") || hasWord(n, []string{"closed", "destroyed", "released", "freed", "dropped"}) {
		return true // looks inside for a test, or asks in more words
	}
	for _, w := range []string{"closed", "destroyed", "released", "freed", "dropped", "empty", "valid", "isnil", "isopen", "isopened", "alive", "string", "err", "error", "name", "id", "defined", "ptr", "gostring", "refcount"} {
		if n == w || n == "is"+w || n == "get"+w || n == "was"+w || n == "has"+w {
			return true
		}
	}
	return false
}

// afterCall looks at a call in an afterlife run, before what it does to the
// resource is applied. It reports true if the path is done.
func (r *run) afterCall(fr *frame, s *state, iv *invocation) bool {
	if r.target != nil && iv.in == r.target.call {
		return s.freed != nil && s.status == live && len(r.direct(s, iv)) > 0 && r.target.acq.param >= 0 // acquired anew
	}
	if s.status != live {
		return false
	}
	r.waits(s, iv)
	if s.freed == nil {
		r.pends(s, iv)
		return false
	}
	if _, ok := iv.fn.(*clo); ok && iv.obj == nil {
		return false // a literal: executed in place
	}
	if _, ok := iv.fn.(done); ok {
		return true // its own clean-up function: it may know
	}
	if r.viewUsed(s, iv) {
		return true
	}
	held := r.direct(s, iv)
	if len(held) == 0 {
		r.rewrites(s, iv)
		return false
	}
	switch {
	case iv.model != nil:
		return r.afterModel(s, iv)
	case iv.obj == nil:
		return true // nothing is known about it
	}
	name := iv.obj.Name()
	if cname, ok := cFuncName(name); ok {
		return r.afterC(s, iv, cname, held)
	}
	if iv.common.IsInvoke() {
		return r.afterInvoke(s, iv, held)
	}
	if pkg := iv.obj.Pkg(); pkg != nil && pkg != r.e.pass.Pkg && r.e.models.Package(pkg.Path()) {
		// The library's own code says what becomes of the handle, not whether
		// it needs it: its bodies end in C.
		switch {
		case asksState(name):
			return false
		case reopens(name) || r.hasEffect(iv, held):
			return true
		}
		r.use(s, iv, report.Likely)
		return true
	}
	if r.e.hasSummary(iv) {
		return r.afterSummary(s, iv, held)
	}
	// Printing a handle, or putting it somewhere, is no use; code that cannot
	// be seen may give it a new resource.
	return !r.e.foreign(iv)
}

// foreign reports whether a callee is the standard library's or a modelled
// library's, which do nothing to a handle behind the caller's back.
func (e *engine) foreign(iv *invocation) bool {
	return (iv.callee == nil || !e.local(iv.callee)) && e.onlyUses(iv)
}

// afterModel is a modelled call that is given the released handle.
func (r *run) afterModel(s *state, iv *invocation) bool {
	filled := false
	for i := range iv.model.Effects {
		eff := &iv.model.Effects[i]
		if eff.Place.Kind == rules.PlaceNone || eff.Place.Kind == rules.PlaceResult {
			continue
		}
		v, _, ok := iv.arg(eff.Place)
		if !ok || !s.isDirect(v) {
			continue
		}
		switch eff.Op {
		case rules.OpRelease, rules.OpConsume, rules.OpAdopt:
			if !r.sameClass(s, iv, eff) {
				continue // of something else that the handle has: a packet's data
			}
			if releases, known := r.holds(s, iv, eff); !known {
				return true
			} else if !releases {
				continue // del is false: it only uses it
			}
			return r.again(s, iv, eff)
		case rules.OpAcquire, rules.OpGive:
			if _, cell := v.(ptr); cell {
				filled = true // C.cudaMalloc(&p): the variable gets another handle
				continue
			}
			return true
		case rules.OpFill, rules.OpRetain, rules.OpPin, rules.OpUnpin, rules.OpCancel, rules.OpSweep:
			return true // it has, or may have, a resource again
		}
	}
	name := ""
	if iv.obj != nil {
		name = iv.obj.Name()
	}
	switch {
	case asksState(name) || filled:
		return false
	case s.freed.kept:
		return true // its new owner keeps it alive
	}
	r.use(s, iv, report.Definite)
	return true
}

// isDirect reports whether v is the handle or the address of its variable.
func (s *state) isDirect(v val) bool {
	switch v := v.(type) {
	case own:
		return !v.sub
	case ptr:
		o, ok := s.mem.at(v.l).(own)
		return ok && !o.sub
	}
	return false
}

// afterC is a C function without a model.
func (r *run) afterC(s *state, iv *invocation, name string, held []int) bool {
	for _, i := range held {
		if _, addr := iv.args[i].(ptr); addr {
			return true // C.create(&p): filled again
		}
	}
	switch {
	case strings.HasPrefix(iv.obj.Name(), "_cgo") || strings.HasPrefix(name, "_cgo"):
		return false
	case r.e.cEnds(name):
		if strongRelease(name) && len(iv.common.Args) <= 2 && r.e.releasesC(iv.common, held) {
			return r.again(s, iv, nil)
		}
		return true
	case hasWord(name, []string{"ref", "retain", "addref"}) || reopens(name):
		return true
	case s.freed.kept:
		return true
	}
	r.use(s, iv, report.Definite)
	return true
}

// afterInvoke is a call of an interface method on the released handle.
func (r *run) afterInvoke(s *state, iv *invocation, held []int) bool {
	name := iv.common.Method.Name()
	known := r.target != nil && contains(r.target.acq.class.Releases, name)
	switch {
	case held[0] != 0:
		return !r.e.foreign(iv)
	case known || releaseNames[name]:
		return true // what a second call does is not known
	}
	if r.e.classOfType(iv.common.Value.Type()) != nil && !asksState(name) && !reopens(name) {
		r.use(s, iv, report.Definite) // the interface is the handle
		return true
	}
	return !r.e.models.Package(iv.obj.Pkg().Path()) // the interface's own idea of use
}

// rewrites forgets the places that hold the handle and that a callee which is
// no library's may fill again.
//
//	m.t.Close()
//	m.load()
//	m.t.Use()
func (r *run) rewrites(s *state, iv *invocation) {
	if iv.model != nil || r.e.foreign(iv) {
		return
	}
	reached := map[loc]bool{}
	for _, a := range iv.args {
		if l, ok := pointee(a); ok {
			s.reachLoc(l, reached)
		}
	}
	for m, v := range s.mem.all() {
		if o, ok := v.(own); !ok || o.sub {
			continue
		}
		if !isLocal(m.root) {
			s.mem.set(m, sym{v: iv.value, i: 2000})
			continue
		}
		for l := range reached {
			if _, in := l.under(m); in {
				s.mem.set(m, sym{v: iv.value, i: 2000})
				break
			}
		}
	}
}
