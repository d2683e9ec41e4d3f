// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// An afterlife run goes on where a resource was released and looks at what
// touches it then. On such a path the status stays live, so that copies,
// containers and closures are followed as ever, and freed says what ended it:
// every call, load and return asks that first.
//
// A function gets such a run only if something can still name the resource
// behind a release (worthAfter), which is rare in correct code.

// freed is how the resource ended on this path.
type freed struct {
	in       ssa.CallInstruction
	blocks   map[*ssa.Function]*ssa.BasicBlock // where each activation stood
	pos      token.Pos
	callee   string // as the user writes it
	verb     string // "closed"
	noun     string // of the model's class, for what came from outside
	class    string // its name
	taken    string // consumed: by what, or "" where it is simply gone
	kept     bool   // by something that keeps it: to use it is still right
	raw      bool   // by a C function: the handle is a pointer or a number, which knows nothing
	again    rules.Again
	cell     loc // the struct-valued handle that the release was called on
	hasCell  bool
	index    any  // the element of a slice that the cell is: see indexKey
	single   bool // and that element alone, not each in a loop
	certain  report.Tier
	failable sym // the result that says whether the release worked
	preset   bool
}

// A misuse is what an afterlife run has found on one path.
type misuse struct {
	kind    Kind
	pos     token.Pos
	end     token.Pos
	callee  string // what touches it
	freed   *freed
	view    *lease
	pending *pending
	certain report.Tier
	trace   []step
	failed  bool      // on a path that reports a failure
	local   bool      // of this activation's own
	copied  bool      // through another copy of the handle
	late    bool      // by a deferred call
	cause   ssa.Value // what failed on the path, or nil
}

// lease is a view, a borrowed part, or an object that keeps a reference: it is
// good for as long as the resource.
type lease struct {
	pos    token.Pos
	callee string
	kept   bool // an object that keeps the resource
}

// view is a value that leans on the tracked resource.
type view struct{ l *lease }

// pending is an operation that uses the resource until a stream is waited for.
type pending struct {
	call   ssa.CallInstruction
	pos    token.Pos
	callee string
	stream val
	result sym
	writes bool // it fills the resource
}

// afterSettle is what settle is in an afterlife run: a release begins the part
// of the path that is looked at; anything else ends it.
func (r *run) afterSettle(s *state) ([]*state, bool) {
	st := s.status
	s.status = live
	switch {
	case st != released || s.weak:
		return nil, true // somebody else's now, or a path that may not exist
	case s.freed != nil:
		return nil, true // the callers that know have reported it
	case r.now == nil || r.maybe > 0:
		return nil, true // not known what released it, or whether
	case r.given != nil && r.given.from != "":
		if s.freed = r.describe(s); s.freed == nil || s.freed.taken != "" && s.freed.kept {
			return nil, true // put into something that keeps it
		}
		m := misuse{kind: ReleasedBorrowed, pos: r.e.posOf(r.now.in), callee: r.e.invokedName(r.now), certain: report.Definite}
		if r.given.inferred {
			m.certain = report.Likely
		}
		r.blame(s, m)
		return nil, true
	}
	s.freed = r.describe(s)
	if s.freed == nil {
		return nil, true
	}
	if p := s.pending; p != nil && !s.sawFailure(p.result) && r.waitsNot(s.freed) {
		r.blame(s, misuse{kind: AsyncPending, pos: s.freed.pos, pending: p, certain: s.freed.certain})
		return nil, true
	}
	s.may = nil
	s.note(s.freed.pos, s.freed.verb+" here")
	return nil, false
}

// describe reads off the current call what it did to the resource.
func (r *run) describe(s *state) *freed {
	iv := r.now
	f := &freed{in: iv.in, certain: report.Definite, blocks: map[*ssa.Function]*ssa.BasicBlock{}}
	for _, fr := range r.stack {
		f.blocks[fr.fn] = fr.cur
	}
	if iv.in == nil {
		return nil // inside a literal that a library calls
	}
	f.pos = r.e.posOf(iv.in)
	f.callee = r.e.invokedName(iv)
	f.verb = "released"
	if r.target != nil && r.target.acq.class.Verb != "" {
		f.verb = r.target.acq.class.Verb
	}
	if iv.obj != nil {
		_, f.raw = cFuncName(iv.obj.Name())
	}
	f.failable = resultSym(iv)
	for _, i := range r.direct(s, iv) {
		if p, ok := iv.args[i].(ptr); ok {
			f.cell, f.hasCell = p.l, true
			if i < len(iv.common.Args) {
				if ia, ok := iv.common.Args[i].(*ssa.IndexAddr); ok {
					f.index, f.single = r.indexKey(s, ia.Index), r.visiting(s) == nil
					if f.single {
						s.only(p.l)
					}
				}
			}
		}
		break
	}
	if eff := r.effect; eff != nil {
		if v, _, ok := iv.arg(eff.Place); ok && len(eff.Place.Path) == 0 && !s.isDirect(v) {
			return nil // what holds it, for all that is known
		}
		if c := r.e.classOfEffect(iv, eff); c != nil {
			f.again, f.noun, f.class = c.Again, c.Noun, c.Name
			if r.target == nil {
				f.verb = c.Verb
			}
		}
		if eff.Again != rules.AgainUnknown {
			f.again = eff.Again
		}
		if eff.Op != rules.OpRelease {
			f.taken, f.kept = f.callee, eff.Of.Kind != rules.PlaceNone
			f.verb = "taken over"
		}
		if eff.When.Kind == rules.CondMaybe || eff.When.Kind == rules.CondElems {
			return nil
		}
		return f
	}
	// By a summary or a name.
	switch {
	case len(r.direct(s, iv)) == 0:
		// With what holds it. Another name of the handle is still there, but
		// the place may have been cleared.
		if iv.callee == nil || !r.e.hasSummary(iv) {
			return nil
		}
		r.vacate(s)
		f.certain = report.Likely
	case iv.callee != nil && r.e.hasSummary(iv):
	case f.raw && (!strongRelease(iv.obj.Name()) || len(iv.common.Args) > 2):
		return nil // C.ctx_clear: the handle lives on
	case f.raw:
		f.certain = report.Likely
	default:
		f.certain = report.Likely
	}
	return f
}

// only forgets all names of the handle but one: mats[0].Close() closes some
// element, which need not be the one that another variable holds.
func (s *state) only(cell loc) {
	s.env.keep(func(_ ssa.Value, x val) bool {
		_, ok := x.(own)
		return !ok
	})
	for m, x := range s.mem.all() {
		if _, ok := x.(own); ok && m != cell {
			s.mem.set(m, sym{l: m})
		}
	}
}

// vacate forgets the places outside this function that hold the handle.
func (r *run) vacate(s *state) {
	for m, v := range s.mem.all() {
		if o, ok := v.(own); ok && !o.sub && (strings.Contains(m.path, ".") || !isLocal(m.root)) {
			s.mem.set(m, sym{v: r.now.value, i: 2000})
		}
	}
}

// invokedName is how the user writes the callee of an invocation.
func (e *engine) invokedName(iv *invocation) string {
	if call, ok := iv.in.(*ssa.Call); ok {
		return e.sourceName(call)
	}
	return e.calleeName(iv.common)
}

// classOfEffect is the class that an effect is about: the one it names, or
// that of the type at its place.
func (e *engine) classOfEffect(iv *invocation, eff *rules.Effect) *rules.Class {
	if eff.Class != nil {
		return eff.Class
	}
	i := eff.Place.Index
	switch eff.Place.Kind {
	case rules.PlaceRecv:
		i = 0
	case rules.PlaceParam:
		if iv.method && !iv.common.IsInvoke() {
			i++
		}
	default:
		return nil
	}
	if iv.common.IsInvoke() {
		if eff.Place.Kind == rules.PlaceRecv {
			return e.classOfType(iv.common.Value.Type())
		}
	}
	if i < len(iv.common.Args) {
		return e.classOfType(iv.common.Args[i].Type())
	}
	return nil
}

// classOfType is the class of a modelled handle type, or nil.
func (e *engine) classOfType(t types.Type) *rules.Class {
	n := namedOf(t)
	if n == nil {
		return nil
	}
	if m := e.models.Type(n.Origin().Obj()); m != nil {
		return m.Class
	}
	return nil
}

// resultSym is the value by which a call says whether it worked, or the zero
// sym.
func resultSym(iv *invocation) sym {
	if iv.value == nil || !fails(iv.common.Signature()) {
		return sym{}
	}
	if n := iv.common.Signature().Results().Len(); n > 1 {
		return sym{v: iv.value, i: n}
	}
	return sym{v: iv.value}
}

// sawFailure reports whether the path knows that the call behind k failed.
func (s *state) sawFailure(k sym) bool {
	if k.v == nil {
		return false
	}
	f, ok := s.facts.get(k)
	return ok && (f.isNil < 0 || f.truth < 0 || f.differ == "0" || f.equals != "" && f.equals != "0")
}

// direct lists the arguments that are the resource's handle, or the address of
// the variable that a struct-valued handle lies in.
func (r *run) direct(s *state, iv *invocation) []int {
	var list []int
	for i, a := range iv.args {
		switch a := a.(type) {
		case own:
			if !a.sub {
				list = append(list, i)
			}
		case ptr:
			if o, ok := s.mem.at(a.l).(own); ok && !o.sub {
				list = append(list, i)
			}
		case *agg:
			if o, ok := a.m[""].(own); ok && !o.sub {
				list = append(list, i)
			}
		}
	}
	return list
}

// blame records a misuse. Paths that were approximated prove nothing.
func (r *run) blame(s *state, m misuse) {
	if s.weak {
		return
	}
	m.freed = s.freed
	m.trace, m.cause = s.trace, s.cause
	if s.freed != nil {
		m.certain = min(m.certain, s.freed.certain)
	}
	r.misuses = append(r.misuses, m)
}

// worthAfter reports whether something can still name a resource that was just
// released, judged by where its registers, cells and deferred calls are used.
func (r *run) worthAfter(fr *frame, s *state) bool {
	if s.deferredHold() {
		return true
	}
	at := -1
	var in ssa.Instruction
	if r.now != nil && r.now.in != nil {
		if c, ok := r.now.in.(*ssa.Call); ok {
			in = c
		}
	}
	cur := fr.cur
	if cur == nil {
		return true
	}
	for i, x := range cur.Instrs {
		if x == in {
			at = i
		}
		if _, ok := x.(*ssa.RunDefers); ok && in == nil {
			at = i
		}
	}
	later := func(v ssa.Value) bool {
		if v.Referrers() == nil {
			return false
		}
		for _, ref := range *v.Referrers() {
			if _, ok := ref.(*ssa.DebugRef); ok {
				continue
			}
			b := ref.Block()
			if b == nil || b.Parent() != cur.Parent() || fr.fi.behind(cur, at, b, indexIn(b, ref)) {
				return true
			}
		}
		return false
	}
	for v, x := range s.env.all() {
		if s.reach(x) && later(v) {
			return true
		}
	}
	for m, x := range s.mem.all() {
		if !s.reach(x) {
			continue
		}
		v, ok := m.root.(ssa.Value)
		if !ok || !isLocal(m.root) || m.old || later(v) {
			return true
		}
	}
	return false
}

// eachTurn reports whether a path with a released resource may go round a loop:
// it was released before the loop, or in every iteration.
func (f *freed) eachTurn(l *loop, latch *ssa.BasicBlock) bool {
	if f.in == nil || l == nil {
		return f.preset
	}
	b := f.blocks[latch.Parent()]
	if b == nil {
		return false
	}
	return !l.contains(b) || b.Dominates(latch)
}

// behind reports whether instruction j of block b can run after instruction i
// of block cur.
func (fi *fnInfo) behind(cur *ssa.BasicBlock, i int, b *ssa.BasicBlock, j int) bool {
	if b != cur {
		return fi.reach[cur.Index].has(b.Index)
	}
	if j > i {
		return true
	}
	for _, s := range cur.Succs {
		if fi.reach[s.Index].has(cur.Index) {
			return true // in a loop
		}
	}
	return false
}

func indexIn(b *ssa.BasicBlock, in ssa.Instruction) int {
	for i, x := range b.Instrs {
		if x == in {
			return i
		}
	}
	return -1
}
