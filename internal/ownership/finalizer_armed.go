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

// armed is a finalizer that releases a field of its object.
type armed struct {
	f     *final
	fn    *ssa.Function // what runs
	named *types.Named  // of the object
	path  string        // the field: ".p"
	value bool          // AddCleanup was given the handle itself: clearing the field does not help
}

// armedFinals lists the finalizers that release a field of a type of this
// package.
func (e *engine) armedFinals() []*armed {
	if e.armed != nil {
		return *e.armed
	}
	list := []*armed{}
	for _, f := range e.finals() {
		named := namedOf(f.obj.Type())
		if f.fn == nil || named == nil || named.Obj().Pkg() != e.pass.Pkg || !isPointer(f.obj.Type()) {
			continue // taken off, or another package's object
		}
		fn := e.finalFunc(f.fn)
		if fn == nil {
			continue // a variable: it cannot be seen
		}
		st, ok := named.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range st.NumFields() {
			if t := st.Field(i).Type(); !canHold(t, 0) || leafType(t) != t || isBool(t) {
				continue // no handle; of containers it cannot be told which element
			}
			path := "." + st.Field(i).Name()
			a := &armed{f: f, fn: fn, named: named, path: path, value: f.cleanup}
			if f.cleanup && !argIsField(f, i) {
				continue // the cleanup was given something else
			}
			sub := path
			if f.cleanup {
				sub = ""
			}
			if e.finalReleases(fn, sub) {
				list = append(list, a)
			}
		}
	}
	e.armed = &list
	return list
}

// finalReleases reports whether a finalizer releases what lies at path below
// its argument.
func (e *engine) finalReleases(fn *ssa.Function, path string) bool {
	if !e.local(fn) {
		obj, _ := fn.Object().(*types.Func)
		m := e.model(obj)
		return path == "" && m != nil && modelEnds(m)
	}
	eff := e.localEffect(fn, 0, path)
	return (eff.OK|eff.Err)&bitReleased != 0
}

// finalFunc is the function behind a finalizer: a literal, a function, or a
// method by its expression.
func (e *engine) finalFunc(v ssa.Value) *ssa.Function {
	var fn *ssa.Function
	switch v := v.(type) {
	case *ssa.Function:
		fn = v
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
		if strings.HasSuffix(fn.Name(), "$bound") {
			return nil // its receiver is another object
		}
	default:
		return nil
	}
	if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" {
		if real := e.pkg.Prog.FuncValue(obj); real != nil {
			fn = real // (*T).Close
		}
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if len(fn.Params) == 0 && e.local(fn) {
		return nil
	}
	return fn
}

// argIsField reports whether the argument of AddCleanup is what field i of the
// object holds.
func argIsField(f *final, i int) bool {
	arg := plainValue(f.arg)
	if load, ok := arg.(*ssa.UnOp); ok && load.Op == token.MUL {
		if fa, ok := load.X.(*ssa.FieldAddr); ok && fa.Field == i && fa.X == f.obj {
			return true
		}
	}
	if f.obj.Referrers() == nil {
		return false
	}
	for _, ref := range *f.obj.Referrers() {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || fa.Field != i {
			continue
		}
		for _, use := range *fa.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == fa && sameRead(plainValue(st.Val), arg) {
				return true
			}
		}
	}
	return false
}

// finalArmed reports explicit releases after which a finalizer releases again.
//
//	runtime.SetFinalizer(t, func(t *T) { C.free(t.p) })
//	…
//	func (t *T) Close() { C.free(t.p) } // neither cleared nor taken off
//
// The release is followed with the handle in the field, and then the finalizer
// from where that ended: a field that was cleared, or a flag that both look at,
// is protection enough.
func (e *engine) finalArmed() []Verdict {
	var list []Verdict
	done := map[token.Pos]bool{}
	for _, a := range e.armedFinals() {
		for _, fn := range e.funcs {
			if fn.Parent() != nil || fn == a.fn && a.f.cleanup || e.disarms(fn, 0) {
				continue // runs inside its parent, or takes the finalizer off
			}
			if e.onlyFinal(fn) {
				continue // a finalizer, and nothing else calls it
			}
			for i, p := range fn.Params {
				if !isType(p.Type(), a.named) || !isPointer(p.Type()) {
					continue
				}
				eff := e.localEffect(fn, i, a.path)
				if (eff.OK|eff.Err)&bitReleased == 0 {
					continue
				}
				pos := e.releasedTwice(fn, i, a)
				if pos.IsValid() && !done[pos] {
					done[pos] = true
					list = append(list, e.armedVerdict(fn, a, pos, report.Likely))
				}
			}
		}
	}
	list = append(list, e.armedElsewhere(done)...)
	return append(list, e.armedLibrary()...)
}

func (e *engine) armedVerdict(fn *ssa.Function, a *armed, pos token.Pos, tier report.Tier) Verdict {
	class := e.fieldClass(a.named, a.path[1:], nil)
	return Verdict{
		Kind: FinalArmed, Tier: min(tier, class.ceiling()), Pos: pos, Class: class, Function: funcName(fn), Acquired: e.callPos(a.f.call),
		Callee: a.f.api(), Name: a.named.Obj().Name() + a.path, Nil: a.value,
	}
}

// onlyFinal reports whether nobody but the runtime can call a function: it is
// not exported, and nothing in the package calls it.
func (e *engine) onlyFinal(fn *ssa.Function) bool {
	if fn.Object() != nil && fn.Object().Exported() {
		return false
	}
	if e.calledFns == nil {
		e.calledFns = map[*ssa.Function]bool{}
		for _, g := range e.funcs {
			if e.finalOnly(g) {
				continue // a finalizer that does nothing but call it
			}
			for _, b := range g.Blocks {
				for _, in := range b.Instrs {
					if call, ok := in.(ssa.CallInstruction); ok {
						if callee := call.Common().StaticCallee(); callee != nil {
							e.calledFns[callee] = true
						}
					}
				}
			}
		}
	}
	return !e.calledFns[fn]
}

// disarms reports whether fn, its literals or what it calls takes a finalizer
// off or stops a cleanup.
func (e *engine) disarms(fn *ssa.Function, depth int) bool {
	if depth > 3 {
		return false
	}
	found := false
	eachInstr(fn, func(in ssa.Instruction) {
		call, ok := in.(ssa.CallInstruction)
		if !ok || found {
			return
		}
		switch runtimeFunc(call.Common()) {
		case "SetFinalizer":
			c, isConst := call.Common().Args[1].(*ssa.Const)
			found = found || isConst && c.Value == nil
		case "Stop":
			found = true // (runtime.Cleanup).Stop
		}
		if callee := call.Common().StaticCallee(); callee != nil && callee != fn && e.local(callee) && e.disarms(callee, depth+1) {
			found = true
		}
	})
	return found
}

// releasedTwice follows fn with the handle in the field and then the finalizer,
// and returns the call of fn that releases if the finalizer releases again.
func (e *engine) releasedTwice(fn *ssa.Function, i int, a *armed) token.Pos {
	if guardsByCall(fn, 0) || guardsByCall(a.fn, 0) {
		return token.NoPos // sync.Once, an atomic swap, a reference count
	}
	c := &closing{d: &destructor{owner: &ownerType{}, fn: fn}, path: a.path, run: e.newRun(fn, nil), about: map[ssa.Value]about{}, calls: map[token.Pos]*invocation{}}
	c.run.work *= 4
	c.run.watch = c.watch
	first := c.enter(newState(), i)
	rets := c.run.exec(fn, first, 0)
	if c.run.degraded {
		return token.NoPos
	}
	for _, r := range rets {
		if r.s.status != released || r.s.weak || len(r.s.trace) == 0 {
			continue
		}
		pos := r.s.trace[len(r.s.trace)-1].pos
		iv := c.calls[pos]
		if iv == nil || iv.callee != nil && e.local(iv.callee) && iv.obj != nil && e.takes(iv.callee, a.named) {
			continue // another function of the type's, which is judged itself
		}
		if e.secondDoes(iv) == rules.AgainOK {
			continue
		}
		if a.value || e.finalAgain(c, r, i, a) {
			return pos
		}
	}
	return token.NoPos
}

// takes reports whether a parameter of fn is such an object.
func (e *engine) takes(fn *ssa.Function, named *types.Named) bool {
	for _, p := range fn.Params {
		if isType(p.Type(), named) {
			return true
		}
	}
	return false
}

// finalAgain runs the finalizer on the object from where the release ended.
func (e *engine) finalAgain(c *closing, r ret, i int, a *armed) bool {
	s := r.s.clone()
	c.run.forget(s, c.d.fn)
	s.defers = [][]deferred{nil}
	s.status, s.trace, s.cause, s.visited = live, nil, nil, nil
	if !s.reachLoc(c.start, map[loc]bool{}) || s.clearedBelow(c.start) {
		return false // cleared
	}
	c.run.watch = nil
	fn := e.unwrapFinal(a.fn)
	s.env.set(fn.Params[0], sym{v: c.d.fn.Params[i]})
	for _, r := range c.run.exec(fn, s, 0) {
		if r.s.status == released {
			return true
		}
	}
	return false
}

// unwrapFinal is the function that does the work where a finalizer does nothing
// but call it: func(t *T) { t.Close() }. Its own tests count, which a summary
// does not have.
func (e *engine) unwrapFinal(fn *ssa.Function) *ssa.Function {
	for range 3 {
		var only *ssa.Function
		calls := 0
		eachInstr(fn, func(in ssa.Instruction) {
			call, ok := in.(*ssa.Call)
			if !ok {
				return
			}
			calls++
			callee := call.Call.StaticCallee()
			if callee != nil && e.local(callee) && callee.Object() != nil && len(callee.Params) > 0 && len(call.Call.Args) > 0 && plainValue(call.Call.Args[0]) == ssa.Value(fn.Params[0]) {
				only = callee
			}
		})
		if calls != 1 || only == nil {
			return fn
		}
		fn = only
	}
	return fn
}

// clearedBelow reports whether a part of what lies at l was set to zero: the
// handle in a struct that is itself the field.
func (s *state) clearedBelow(l loc) bool {
	for m, v := range s.mem.all() {
		if rest, ok := l.under(m); ok && rest != "" && isZero(v) {
			return true
		}
	}
	return false
}
