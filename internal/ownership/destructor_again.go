// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A second release, and where it happens.
type againResult struct {
	does  rules.Again // what it does; AgainOK also stands for: there is none
	pos   token.Pos   // the call
	panic bool        // instead, a method is called on the nil that the first one left
}

// closeAgain reports a release method that is not safe to call twice.
//
// Plain wrappers without any protection are common, and their callers know:
// that is no more than possible. It is likely where the method itself shows
// that it means to be called again: it clears some fields and not this one, it
// keeps a flag that it does not look at, it says so in its comment; or where two
// functions close what lies in one field. That it tests a field for nil says
// nothing: half-built objects are closed too.
func (e *engine) closeAgain(d *destructor) []Verdict {
	var list []Verdict
	for _, path := range d.owner.paths {
		if !d.mayRelease(path) {
			continue // not released here, so not twice
		}
		got := e.releasesAgain(d.fn, 0, path)
		if got.panic {
			if !token.IsExported(d.fn.Name()) {
				continue // its callers are all here, and know
			}
			v := e.lifeVerdict(d, path, ClosePanics, got.pos)
			list = append(list, v)
			break // the first one ends the call
		}
		if got.does == rules.AgainOK {
			continue // guarded, or harmless
		}
		if pos := e.copyCleared(d, path); pos.IsValid() {
			list = append(list, e.lifeVerdict(d, path, CloseCopy, pos))
			continue
		}
		tier := e.againTier(d, path, got.does)
		if tier < report.Likely && got.does != rules.AgainCrash {
			continue // an error from the library, which the caller can see
		}
		v := e.lifeVerdict(d, path, CloseTwice, got.pos)
		v.Tier = min(v.Tier, tier)
		list = append(list, v)
		break // one finding says that the method is not idempotent
	}
	return list
}

// againTier weighs what speaks for a method that is meant to be called twice.
func (e *engine) againTier(d *destructor, path string, does rules.Again) report.Tier {
	switch {
	case e.promisesAgain(d.fn):
		return report.Likely // its comment says so
	case e.clearsSibling(d, path):
		return report.Likely // it does so for another field
	case e.idleFlag(d):
		return report.Likely // it keeps a flag, and does not look at it
	case does != rules.AgainError && e.closedTwice(d.fn):
		return report.Likely // the package itself calls it on one object from two places
	}
	return report.Possible
}

// releasesAgain follows fn twice with the resource at path below parameter i:
// what the first call leaves in memory is what the second one finds.
func (e *engine) releasesAgain(fn *ssa.Function, i int, path string) againResult {
	key := effectKey{fn: fn, arg: i, path: path}
	if got, ok := e.again[key]; ok {
		return got
	}
	if e.again == nil {
		e.again = map[effectKey]againResult{}
	}
	none := againResult{does: rules.AgainOK}
	e.again[key] = none // recursion
	if guardsByCall(fn, 0) {
		return none // sync.Once, an atomic swap, a reference count
	}
	c := &closing{d: &destructor{owner: &ownerType{}, fn: fn}, path: path, run: e.newRun(fn, nil), about: map[ssa.Value]about{}, calls: map[token.Pos]*invocation{}}
	c.run.work *= 4
	first := c.enter(newState(), i)
	var got againResult
	for _, r := range c.run.exec(fn, first, 0) {
		if r.s.status != released && r.s.status != unknown || r.s.weak {
			continue
		}
		if ok, _ := exitClass(r); !ok {
			continue // it failed, and may be called again for that
		}
		if res := c.second(r, i); res.panic || res.does != rules.AgainOK && r.s.status == released {
			got = res
			break
		}
	}
	if c.run.degraded || !got.pos.IsValid() {
		return none
	}
	e.again[key] = got
	return got
}

// enter puts the resource where the method finds it.
func (c *closing) enter(s *state, i int) *state {
	s.status = live
	p := c.d.fn.Params[i]
	c.start = loc{root: sym{v: p}, path: c.path}
	switch {
	case c.path == "":
		s.env.set(p, own{})
	case isStructVal(p.Type()):
		s.env.set(p, &agg{map[string]val{c.path: own{}}})
	default:
		s.mem.set(c.start, own{})
	}
	return s
}

// second runs the method again from where a first call ended.
func (c *closing) second(r ret, i int) againResult {
	e, fn := c.run.e, c.d.fn
	s := r.s.clone()
	c.run.forget(s, fn)
	s.defers = [][]deferred{nil}
	s.status, s.trace, s.cause, s.visited = live, nil, nil, nil
	p := fn.Params[i]
	cleared := false
	switch {
	case c.path == "" || isStructVal(p.Type()):
		c.enter(s, i)
	default:
		v, ok := s.mem.get(c.start)
		cleared = ok && isZero(v)
		if !cleared && (!s.reachLoc(c.start, map[loc]bool{}) || s.clearedBelow(c.start)) {
			return againResult{does: rules.AgainOK} // another one is there now
		}
	}
	var onNil token.Pos
	calls := map[token.Pos]*invocation{}
	c.run.watch = func(s *state, iv *invocation) {
		if iv.in == nil {
			return
		}
		pos := e.posOf(iv.in)
		if cleared && !onNil.IsValid() && e.crashesOnNil(iv, c) {
			onNil = pos
		}
		if s.status != live {
			return
		}
		for _, a := range iv.args {
			if s.reach(a) {
				s.note(pos, "passed here")
				calls[pos] = iv
				return
			}
		}
	}
	rets := c.run.exec(fn, s, 0)
	c.run.watch = nil
	if onNil.IsValid() {
		return againResult{panic: true, pos: onNil}
	}
	for _, r := range rets {
		if r.s.status != released || len(r.s.trace) == 0 {
			continue
		}
		pos := r.s.trace[len(r.s.trace)-1].pos
		if does := e.secondDoes(calls[pos]); does != rules.AgainOK {
			return againResult{does: does, pos: pos}
		}
	}
	return againResult{does: rules.AgainOK}
}

// secondDoes is what a second execution of a releasing call does.
func (e *engine) secondDoes(iv *invocation) rules.Again {
	switch {
	case iv == nil:
		return rules.AgainOK // cannot be told
	case iv.model != nil:
		return e.modelAgain(iv)
	case iv.obj == nil:
		return rules.AgainOK // a func in a field: cannot be seen
	}
	if name, ok := cFuncName(iv.obj.Name()); ok {
		for _, t := range iv.common.Args {
			if p, ok := t.Type().Underlying().(*types.Pointer); ok && isPointer(p.Elem()) {
				return rules.AgainOK // av_frame_free(&p): it clears the handle itself
			}
		}
		if hasWord(name, []string{"unref", "release"}) {
			return rules.AgainUnknown // counted: others may hold it still
		}
		return rules.AgainCrash
	}
	if iv.callee == nil || !e.local(iv.callee) {
		return rules.AgainOK // another package's, which may look after itself
	}
	// A helper, or the release method of an owner below: as bad as that is.
	worst := rules.AgainOK
	for i := range iv.args {
		if i >= len(iv.callee.Params) {
			break
		}
		for _, path := range e.paths(iv.callee, i, iv.callee.Params[i]) {
			eff := e.localEffect(iv.callee, i, path)
			if (eff.OK|eff.Err)&bitReleased == 0 || path == "" && e.hasOwnerPaths(iv.callee, i) {
				continue
			}
			if got := e.releasesAgain(iv.callee, i, path); !got.panic && got.does != rules.AgainOK {
				worst = max(worst, got.does)
			}
		}
	}
	return worst
}

// hasOwnerPaths reports whether parameter i is an object whose fields say more
// than the object itself.
func (e *engine) hasOwnerPaths(fn *ssa.Function, i int) bool {
	named := namedOf(fn.Params[i].Type())
	if named == nil || named.Obj().Pkg() != e.pass.Pkg {
		return false
	}
	_, ok := named.Underlying().(*types.Struct)
	return ok
}

// modelAgain is what the model of a release says about a second one.
func (e *engine) modelAgain(iv *invocation) rules.Again {
	for _, eff := range iv.model.Effects {
		if eff.Op != rules.OpRelease {
			continue
		}
		if eff.Again != rules.AgainUnknown {
			return eff.Again
		}
		c := eff.Class
		if c == nil {
			c = e.classOfArg(iv, eff.Place)
		}
		if c == nil {
			return rules.AgainUnknown
		}
		if known := e.models.ClassByName(c.Name); known != nil {
			c = known
		}
		return c.Again
	}
	return rules.AgainOK // consumed: not this object's any more
}

// classOfArg is the class of the type that a place of a call has.
func (e *engine) classOfArg(iv *invocation, p rules.Place) *rules.Class {
	_, i, ok := iv.arg(p)
	if !ok {
		return nil
	}
	var t types.Type
	switch {
	case iv.common.IsInvoke():
		t = iv.common.Value.Type()
	case i < len(iv.common.Args):
		t = iv.common.Args[i].Type()
	default:
		return nil
	}
	if n := namedOf(t); n != nil {
		if m := e.models.Type(n.Obj()); m != nil {
			return m.Class
		}
	}
	return nil
}

// crashesOnNil reports a method call on the nil that the first call left in
// the field, where the method cannot take it.
func (e *engine) crashesOnNil(iv *invocation, c *closing) bool {
	if !iv.method || len(iv.args) == 0 || !isNilLike(iv.args[0]) {
		return false
	}
	if iv.common.IsInvoke() {
		return e.cameFrom(iv.common.Value, c)
	}
	if len(iv.common.Args) == 0 || !e.cameFrom(iv.common.Args[0], c) || !isPointer(iv.common.Args[0].Type()) {
		return false
	}
	if iv.model != nil {
		for _, eff := range iv.model.Effects {
			if eff.Op != rules.OpRelease || eff.Place.Kind != rules.PlaceRecv {
				continue
			}
			cl := eff.Class
			if cl == nil {
				cl = e.classOfArg(iv, eff.Place)
			}
			if cl != nil {
				if known := e.models.ClassByName(cl.Name); known != nil {
					cl = known
				}
			}
			return cl != nil && !cl.NilSafe && !eff.NilSafe
		}
		return false
	}
	return iv.callee != nil && e.local(iv.callee) && derefsFirst(iv.callee)
}

// cameFrom reports whether a value was loaded from the field that is followed.
func (e *engine) cameFrom(v ssa.Value, c *closing) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	return ok && "."+fieldName(fa.X.Type(), fa.Field) == c.path
}

// derefsFirst reports whether a method looks into its receiver before it tests
// anything.
func derefsFirst(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 || len(fn.Params) == 0 {
		return false
	}
	for _, in := range fn.Blocks[0].Instrs {
		switch in := in.(type) {
		case *ssa.FieldAddr:
			if in.X == fn.Params[0] {
				return true
			}
		case *ssa.UnOp:
			if in.Op == token.MUL && in.X == fn.Params[0] {
				return true
			}
		}
	}
	return false
}

// guardsByCall reports whether fn, its literals or what it calls on the way
// decide by sync.Once, an atomic operation or a counter.
func guardsByCall(fn *ssa.Function, depth int) bool {
	if depth > 2 {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.If:
				if counts(in.Cond) {
					return true
				}
			case ssa.CallInstruction:
				callee := in.Common().StaticCallee()
				if callee == nil {
					continue
				}
				obj, _ := callee.Object().(*types.Func)
				if obj != nil && obj.Pkg() != nil {
					switch obj.Pkg().Path() {
					case "sync":
						if obj.Name() == "Do" {
							return true
						}
						continue
					case "sync/atomic":
						if !strings.HasPrefix(obj.Name(), "Store") {
							return true
						}
						continue
					}
				}
				if callee.Pkg == fn.Pkg && len(callee.Blocks) > 0 && callee != fn && guardsByCall(callee, depth+1) {
					return true
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		if guardsByCall(anon, depth+1) {
			return true
		}
	}
	return false
}

// counts reports whether a condition compares a number field, or the result of
// adding to one: a reference count. The counter of a loop is none.
func counts(v ssa.Value) bool {
	cmp, ok := v.(*ssa.BinOp)
	if !ok {
		return false
	}
	for _, x := range []ssa.Value{cmp.X, cmp.Y} {
		if sum, ok := x.(*ssa.BinOp); ok && (sum.Op == token.SUB || sum.Op == token.ADD) {
			if numberField(sum.X) || numberField(sum.Y) {
				return true // m.refs--; m.refs > 0 in one expression
			}
		}
		if numberField(x) && cmp.Op != token.EQL && cmp.Op != token.NEQ {
			return true // m.refs > 0
		}
	}
	return false
}

// numberField reports whether v was loaded from an integer field.
func numberField(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	_, field := load.X.(*ssa.FieldAddr)
	b, number := load.Type().Underlying().(*types.Basic)
	return field && number && b.Info()&types.IsInteger != 0
}

// promisesAgain reports whether the method's comment says that it may be
// called twice.
func (e *engine) promisesAgain(fn *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return false
	}
	text := strings.Join(strings.Fields(strings.ToLower(decl.Doc.Text())), " ")
	for _, no := range []string{"not idempotent", "not safe", "must not", "only once", "exactly once", "undefined", "do not call", "n't be called", "panic"} {
		if strings.Contains(text, no) {
			return false
		}
	}
	for _, yes := range []string{"multiple times", "more than once", "idempotent", "called twice", "called again", "call it twice", "several times", "repeatedly", "second call", "subsequent call"} {
		if strings.Contains(text, yes) {
			return true
		}
	}
	return false
}
