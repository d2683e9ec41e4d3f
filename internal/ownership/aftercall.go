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

// strongRelease reports whether a C name says that the handle is gone, not only
// emptied, and not one reference of several.
func strongRelease(name string) bool {
	return hasWord(name, []string{"free", "destroy", "delete", "dispose", "release"})
}

// reopens reports whether a method's name says that it gives the handle a new
// resource.
func reopens(name string) bool {
	return hasWord(name, []string{"open", "init", "reset", "load", "alloc", "create", "start", "resize", "reuse", "renew", "restart", "connect", "setup", "attach", "swap", "assign"})
}

// asksState reports whether a method only asks whether the handle is still
// good.
func asksState(name string) bool {
	n := strings.ToLower(name)
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

// isDirect reports whether v is the handle or the address of its variable.
func (s *state) isDirect(v val) bool {
	switch v := v.(type) {
	case own:
		return !v.sub
	case ptr:
		o, ok := s.mem[v.l].(own)
		return ok && !o.sub
	}
	return false
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
	again := f.again
	if eff != nil && eff.Again != rules.AgainUnknown {
		again = eff.Again
	}
	if f.preset {
		again = rules.AgainCrash
	}
	// A copy of a struct-valued handle does not know that the other was
	// released.
	for _, i := range r.direct(s, iv) {
		if p, ok := iv.args[i].(ptr); ok && f.hasCell && p.l != f.cell && isLocal(p.l.root) {
			m.copied = true
		}
	}
	switch {
	case f.taken != "" || m.copied:
	case again == rules.AgainOK:
		return false
	case again == rules.AgainError && !f.raw:
		return false // the handle knows, and says so
	case again == rules.AgainUnknown:
		m.certain = report.Likely
	}
	r.blame(s, m)
	return true
}

func (r *run) use(s *state, iv *invocation, certain report.Tier) {
	m := misuse{kind: UsedAfter, pos: r.e.posOf(iv.in), callee: r.e.invokedName(iv), certain: certain}
	if call, ok := iv.in.(*ssa.Call); ok {
		m.end = r.e.callEnd(call)
	}
	_, m.late = iv.in.(*ssa.Defer)
	r.blame(s, m)
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
	case hasWord(name, releaseWords):
		if strongRelease(name) && r.e.releasesC(iv.common, held) {
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

// hasEffect reports whether a summary says that a call does more with the
// handle than to use it.
func (r *run) hasEffect(iv *invocation, held []int) bool {
	for _, i := range held {
		if eff := r.e.effect(iv, i, ""); !eff.plain() {
			return true
		}
	}
	return false
}

// afterSummary is a function of the user's that is given the released handle.
func (r *run) afterSummary(s *state, iv *invocation, held []int) bool {
	for _, i := range held {
		eff := r.e.effect(iv, i, "")
		if cond := eff.Cond; cond >= 0 && cond < len(iv.args) {
			if b, known := r.boolArg(s, iv, cond); known && b {
				eff = eff.when(eff.True)
			} else if known {
				eff = eff.when(eff.False)
			}
		}
		switch bits := eff.OK | eff.Err; {
		case bits == bitReleased:
			if r.e.afterUse(iv, i)&usesFree == 0 {
				return true // it checks first, or clears what it frees
			}
			return r.again(s, iv, nil)
		case bits&^(bitLive|bitReturned) != 0:
			return true // stored, or released sometimes
		}
		if u := r.e.afterUse(iv, i); u&usesAlways != 0 {
			if s.freed.kept {
				return true
			}
			r.use(s, iv, report.Definite)
			return true
		}
	}
	return false
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
	for m, v := range s.mem {
		if o, ok := v.(own); !ok || o.sub {
			continue
		}
		if !isLocal(m.root) {
			s.mem[m] = sym{v: iv.value, i: 2000}
			continue
		}
		for l := range reached {
			if _, in := l.under(m); in {
				s.mem[m] = sym{v: iv.value, i: 2000}
				break
			}
		}
	}
}

// Uses of a released handle that a function makes.
const (
	usesSome   uint8 = 1 << iota // on some path
	usesAlways                   // on every path
	usesFree                     // releases it once more
)

// afterUse tells what a function does with a handle that was released before.
func (e *engine) afterUse(iv *invocation, i int) uint8 {
	if fn := iv.callee; fn != nil && e.local(fn) {
		return e.localAfterUse(fn, i)
	}
	if f := e.fact(iv.obj); f != nil {
		for _, p := range f.Params {
			if p.Param == i && p.Path == "" {
				return p.After
			}
		}
	}
	return 0
}

// mayBeHandle reports whether a parameter of type t can be a handle itself.
func (e *engine) mayBeHandle(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind() == types.UnsafePointer
	}
	return e.classOfType(t) != nil || cTypeKey(t) != ""
}

func (e *engine) localAfterUse(fn *ssa.Function, i int) uint8 {
	key := effectKey{fn: fn, arg: i}
	if u, ok := e.afters[key]; ok {
		return u // also the answer to recursion: it does not
	}
	e.afters[key] = 0
	if i >= len(fn.Params) {
		return 0
	}
	r := e.newRun(fn, nil)
	r.after = true
	s := newState()
	s.status = live
	s.freed = &freed{preset: true, certain: report.Definite}
	s.env[fn.Params[i]] = own{}
	rets := r.exec(fn, s, 0)
	var u uint8
	clean := r.degraded
	for _, ret := range rets {
		clean = clean || ret.s.freed != nil
	}
	for _, m := range r.misuses {
		switch m.kind {
		case UsedAfter:
			u |= usesSome
			if !clean {
				u |= usesAlways
			}
		case ReleasedTwice:
			u |= usesSome | usesFree
		}
	}
	e.afters[key] = u
	return u
}

// touches reports a load or store through the handle or a view after the end.
// C memory is there to be read; a Go object stays when its resource goes.
func (r *run) touches(s *state, in ssa.Instruction, addr ssa.Value, t types.Type) bool {
	if s.freed == nil || s.freed.preset {
		return false
	}
	pos := in.Pos()
	if !pos.IsValid() {
		pos = addr.Pos()
	}
	switch x := r.eval(s, addr).(type) {
	case view:
		if x.l.kept || !pos.IsValid() {
			return false
		}
		r.blame(s, misuse{kind: Outlived, pos: pos, view: x.l, certain: report.Definite})
		return true
	case own:
		if _, isFunc := t.Underlying().(*types.Signature); isFunc || !pos.IsValid() || !r.ofMemory(s) {
			return false
		}
		r.blame(s, misuse{kind: UsedAfter, pos: pos, certain: report.Definite})
		return true
	}
	return false
}

// reads reports a builtin that reads a slice over released memory.
func (r *run) reads(s *state, in *ssa.Call, v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	return r.touches(s, in, v, v.Type())
}

// copies reports whether a conversion copies what it converts.
func copies(in *ssa.Convert) bool {
	_, from := in.X.Type().Underlying().(*types.Slice)
	b, to := in.Type().Underlying().(*types.Basic)
	return from && to && b.Info()&types.IsString != 0
}

// ofMemory reports whether the resource is plain memory that Go code can read.
func (r *run) ofMemory(s *state) bool {
	if r.target == nil {
		return s.freed.raw && s.freed.noun == "C memory"
	}
	switch r.target.acq.class.Name {
	case "c.heap", "cuda.host", "cu.host", "hip.host":
		return true
	}
	return false
}
