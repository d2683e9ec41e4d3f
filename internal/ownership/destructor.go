// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// The verdicts about the end of an owner's life: its release method, its
// finalizer, its copies.
const (
	CloseSkips    Kind = iota + 64 // GM401: a failing release stops the others
	CloseForgets                   // GM401: a field that the release method never releases
	CloseTwice                     // GM401: a second call releases again
	ClosePanics                    // GM401: a second call uses what the first one cleared
	CloseCopy                      // GM401: a value receiver, and a field of the copy is cleared
	CloseGuard                     // GM401: released under a test of another field
	FinalNever                     // GM402: the finalizer reaches the object
	FinalThrows                    // GM402: the runtime refuses the call
	FinalEarly                     // GM402: set on a variable that dies before the object
	FinalArmed                     // GM402: an explicit release leaves it armed
	FinalDead                      // GM402: the object may die while C works with its handle
	FinalMismatch                  // GM402: it frees what another allocator made
	OwnerCopied                    // GM403
	FinalMissing                   // GM404: the siblings set a finalizer
	LeftToGC                       // GM404
)

// lifeNames are the methods, beside releaseNames, whose job is to end an
// object's life.
var lifeNames = map[string]bool{
	"close": true, "free": true, "release": true, "destroy": true, "dispose": true, "drop": true, "unload": true,
	"shutdown": true, "cleanup": true, "teardown": true, "finalize": true, "delete": true, "unref": true,
	"Cleanup": true, "CleanUp": true, "TearDown": true, "Teardown": true, "ShutDown": true,
	"Deinit": true, "DeInit": true, "Fini": true, "Uninit": true, "MarkDisposed": true, "Deallocate": true,
}

func endsLife(name string) bool { return releaseNames[name] || lifeNames[name] }

// owner is a type of this package with what its methods release.
type ownerType struct {
	named *types.Named
	fns   []*ssa.Function     // its methods, in source order
	ends  []*destructor       // those that end its life
	paths []string            // owning fields: ".h", ".mats[]"
	rel   map[string][]string // by path: the methods that release it
}

// destructor is a release method and what it does to each owning field.
type destructor struct {
	owner *ownerType
	fn    *ssa.Function
	effs  map[string]effect
}

func (d *destructor) releases(path string) bool {
	eff := d.effs[path]
	return (eff.OK|eff.Err)&(bitReleased|bitMoved) != 0
}

// mayRelease also holds where the release is of something that may be empty: a
// list, a type with a Close of its own.
func (d *destructor) mayRelease(path string) bool {
	eff := d.effs[path]
	return (eff.OK|eff.Err)&(bitReleased|bitMoved|bitUnknown) != 0
}

// owners lists the types of this package that have a release method and a
// field for it to release, in source order of their methods.
func (e *engine) owners() []*ownerType {
	if e.ownerTypes != nil {
		return *e.ownerTypes
	}
	byType := map[*types.Named]*ownerType{}
	var list []*ownerType
	for _, fn := range e.funcs {
		recv := fn.Signature.Recv()
		if recv == nil || fn.Parent() != nil || len(fn.Params) == 0 {
			continue // a function: it has no fields to answer for
		}
		named := namedOf(recv.Type())
		if named == nil || named.Obj().Pkg() != e.pass.Pkg {
			continue
		}
		named = named.Origin()
		t := byType[named]
		if t == nil {
			t = &ownerType{named: named}
			byType[named] = t
			list = append(list, t)
		}
		t.fns = append(t.fns, fn)
	}
	kept := list[:0]
	for _, t := range list {
		if e.fillOwner(t) {
			kept = append(kept, t)
		}
	}
	e.ownerTypes = &kept
	return kept
}

// fillOwner finds what the type owns, and reports whether it owns anything.
func (e *engine) fillOwner(t *ownerType) bool {
	st, ok := t.named.Underlying().(*types.Struct)
	if !ok {
		return false // no fields
	}
	named := false
	for _, fn := range t.fns {
		named = named || endsLife(fn.Name())
	}
	if !named {
		return false // nothing ends its life here: GM102 says so at the constructor
	}
	for i := range st.NumFields() {
		if path := e.ownedPath(t.named, st.Field(i).Name()); path != "" {
			t.paths = append(t.paths, path)
		}
	}
	if len(t.paths) == 0 {
		return false
	}
	t.rel = map[string][]string{}
	for _, fn := range t.fns {
		d := &destructor{owner: t, fn: fn, effs: map[string]effect{}}
		some := false
		for _, path := range t.paths {
			d.effs[path] = e.localEffect(fn, 0, path)
			if d.releases(path) {
				t.rel[path] = append(t.rel[path], fn.Name())
			}
			some = some || d.mayRelease(path)
		}
		if some && endsLife(fn.Name()) {
			t.ends = append(t.ends, d)
		}
	}
	return true
}

// lifeVerdicts judges how the owners of the package end.
func (e *engine) lifeVerdicts() []Verdict {
	var list []Verdict
	for _, t := range e.owners() {
		for _, d := range t.ends {
			if v, ok := e.closeSkips(d); ok {
				list = append(list, v)
			}
			list = append(list, e.closeAgain(d)...)
			list = append(list, e.closeGuard(d)...)
		}
		list = append(list, e.closeForgets(t)...)
	}
	list = append(list, e.finalVerdicts()...)
	list = append(list, e.copyVerdicts()...)
	return append(list, e.gcVerdicts()...)
}

// about is a call that concerns an owning field of the receiver.
type about struct {
	path string
	name string // as the user writes it: "m.session.Destroy"
	ends bool   // it is a release
}

// closing is one release method followed with the content of one field.
type closing struct {
	d     *destructor
	path  string
	start loc
	run   *run
	rets  []ret
	about map[ssa.Value]about
	calls map[token.Pos]*invocation // those that were given the resource
}

// follow runs the method with the resource in the field at path.
func (e *engine) followClose(d *destructor, path string) *closing {
	c := &closing{d: d, path: path, run: e.newRun(d.fn, nil), about: map[ssa.Value]about{}, calls: map[token.Pos]*invocation{}}
	c.run.work *= 4 // there are few release methods, and they are worth it
	c.run.watch = c.watch
	p := d.fn.Params[0]
	s := newState()
	s.status = live
	c.start = loc{root: sym{v: p}, path: path}
	if isStructVal(p.Type()) {
		s.env.set(p, &agg{map[string]val{path: own{}}})
	} else {
		s.mem.set(c.start, own{})
	}
	c.rets = c.run.exec(d.fn, s, 0)
	return c
}

// watch notes which calls concern the receiver's fields.
func (c *closing) watch(s *state, iv *invocation) {
	if s.status == live {
		for _, a := range iv.args {
			if s.reach(a) && iv.in != nil {
				pos := c.run.e.posOf(iv.in)
				s.note(pos, "passed here")
				c.calls[pos] = iv
				break
			}
		}
	}
	if iv.value == nil {
		return // deferred: nobody sees whether it fails
	}
	for i, a := range iv.args {
		if x, ok := c.concerns(s, iv, i, a); ok {
			c.about[iv.value] = x
			return
		}
	}
}

// concerns tells which owning field argument i of a call comes from.
func (c *closing) concerns(s *state, iv *invocation, i int, a val) (about, bool) {
	e := c.run.e
	if x, ok := a.(sym); ok && x.v != nil {
		if got, ok := c.about[x.v]; ok {
			return got, true // cudaErr(C.cudaFree(m.p)), fmt.Errorf("…: %w", err)
		}
	}
	path := ""
	switch a := a.(type) {
	case own:
		path = c.path
	case sym:
		if a.v == nil && a.l.root == c.start.root {
			path = a.l.path
		} else if a.v != nil && any(a) == c.start.root {
			return c.helper(iv, i)
		}
	case ptr:
		if a.l.root == c.start.root {
			path = a.l.path // a struct handle: m.mat.Close()
		}
	}
	if path == "" {
		if x, ok := a.(sym); ok && isElement(x.v) && c.endsCall(iv, i) {
			return about{"", e.calleeName(iv.common), true}, true // of a list made here: []T{m.a, m.b}
		}
		return about{}, false
	}
	if iv.obj != nil && hasWord(iv.obj.Name(), []string{"current", "lock", "bind", "push"}) {
		return about{}, false // without the context there is nothing to release
	}
	for _, p := range c.d.owner.paths {
		if p == path || strings.TrimSuffix(p, "[]") == path || strings.HasPrefix(path, p) && strings.HasPrefix(path[len(p):], "[") {
			name := c.d.fn.Params[0].Name() + strings.ReplaceAll(p, "[]", "[i]")
			if iv.obj != nil && i == 0 && iv.method {
				name += "." + iv.obj.Name()
			} else {
				name = e.calleeName(iv.common)
			}
			if i < len(iv.common.Args) && isElement(iv.common.Args[i]) && !strings.HasSuffix(p, "[]") {
				name = e.calleeName(iv.common) // of a list made here
			}
			return about{p, name, c.endsCall(iv, i)}, true
		}
	}
	if i == 0 && iv.method && iv.obj != nil && (endsLife(iv.obj.Name()) || lastWords[iv.obj.Name()]) && strings.Count(path, ".") == 1 {
		// A file, a connection: its end fails, and that of the device memory
		// is never tried.
		return about{path, c.d.fn.Params[0].Name() + path + "." + iv.obj.Name(), true}, true
	}
	return about{}, false
}

// isElement reports whether v was loaded from an element of a list.
func isElement(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	_, ok = load.X.(*ssa.IndexAddr)
	return ok
}

// lastWords are what is asked of an object before it is closed.
var lastWords = map[string]bool{"Flush": true, "Sync": true, "Wait": true, "Synchronize": true, "Drain": true, "Finish": true}

// helper is a call of another method of the same receiver that releases.
func (c *closing) helper(iv *invocation, i int) (about, bool) {
	if iv.callee == nil || !c.run.e.local(iv.callee) {
		return about{}, false
	}
	for _, p := range c.d.owner.paths {
		if eff := c.run.e.localEffect(iv.callee, i, p); (eff.OK|eff.Err)&(bitReleased|bitMoved) != 0 {
			return about{p, c.d.fn.Params[0].Name() + "." + iv.callee.Name(), true}, true
		}
	}
	return about{}, false // it asks whether the object is open, or takes a lock
}

// endsCall reports whether a call releases its argument i.
func (c *closing) endsCall(iv *invocation, i int) bool {
	if iv.model != nil {
		return modelEnds(iv.model)
	}
	if iv.obj == nil {
		return false
	}
	if name, ok := cFuncName(iv.obj.Name()); ok {
		return c.run.e.cEnds(name)
	}
	if c.run.e.hasSummary(iv) {
		return !c.run.e.effect(iv, i, "").plain()
	}
	return endsLife(iv.obj.Name())
}

// closeSkips reports a release method that returns when one release fails and
// leaves the others undone.
//
//	if err := m.session.Destroy(); err != nil {
//		return err // m.input lives on
//	}
//	return m.input.Destroy()
//
// The failing call must concern a field of the same object: whoever asks
// whether the object is open at all, or waits for a lock, may well give up.
func (e *engine) closeSkips(d *destructor) (Verdict, bool) {
	type loss struct {
		path string
		a    about
		o    ret
	}
	var losses []loss
	for _, path := range d.owner.paths {
		eff := d.effs[path]
		if !d.releases(path) || !mixed(eff.OK|eff.Err) {
			continue // released on all paths, or on none
		}
		c := e.followClose(d, path)
		if c.run.degraded {
			continue
		}
		plainly := map[token.Pos]bool{} // left there although nothing failed
		for _, r := range c.rets {
			if r.s.status == live && r.s.cause == nil {
				plainly[exitPos(r.in)] = true
			}
		}
		for _, r := range c.rets {
			a, ok := c.about[r.s.cause]
			switch {
			case r.s.status != live || r.s.weak:
				continue
			case !ok:
				continue // nothing failed, or something that is none of ours
			case plainly[exitPos(r.in)]:
				continue // given up for another reason: it was closed before
			case a.path == path && a.ends && !otherElement(r):
				continue // its own release failed
			case a.path == "" && !otherElement(r):
				continue // of a list that it is not in
			}
			if _, _, stored := c.run.storedAt(r.s, c.start); stored {
				continue // handed on
			}
			losses = append(losses, loss{path, a, r})
			break
		}
	}
	if len(losses) == 0 {
		return e.listStops(d)
	}
	sort.SliceStable(losses, func(i, j int) bool { return exitPos(losses[i].o.in) < exitPos(losses[j].o.in) })
	l := losses[0]
	v := e.lifeVerdict(d, l.path, CloseSkips, exitPos(l.o.in))
	v.Failed, v.Others = l.a.name, len(losses)-1
	v.Always = l.a.path == l.path && strings.HasSuffix(l.path, "[]")
	v.Trace = append(steps(l.o.s), report.Step{Pos: v.Pos, Text: "lost here"})
	return v, true
}

// listStops reports a loop over a list of struct handles that returns when one
// release fails. The elements are reached by their addresses there, which the
// run takes for the one that it follows, so the shape has to do:
//
//	for i := range b.mats {
//		if err := b.mats[i].Close(); err != nil {
//			return err
//		}
//	}
func (e *engine) listStops(d *destructor) (Verdict, bool) {
	fi := e.info(d.fn)
	for _, b := range d.fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || len(call.Call.Args) == 0 || !isError(call.Type()) {
				continue
			}
			elem, ok := call.Call.Args[0].(*ssa.IndexAddr)
			if !ok {
				continue
			}
			path := "." + recvField(d.fn, elem.X) + "[]"
			if !d.releases(path) || !e.releasesPlace(&call.Call, 0, elem.Type().Underlying().(*types.Pointer).Elem()) {
				continue
			}
			cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok || !testsError(cond.Cond, call) {
				continue // collected, or ignored
			}
			for _, l := range fi.loops {
				if !l.contains(b) || l.contains(b.Succs[0]) {
					continue
				}
				if ret, ok := b.Succs[0].Instrs[len(b.Succs[0].Instrs)-1].(*ssa.Return); ok {
					v := e.lifeVerdict(d, path, CloseSkips, exitPos(ret))
					v.Always, v.Failed = true, d.fn.Params[0].Name()+path[:len(path)-2]+"[i]."+call.Call.StaticCallee().Name()
					return v, true
				}
			}
		}
	}
	return Verdict{}, false
}

// testsError reports whether a condition is call != nil.
func testsError(cond ssa.Value, call *ssa.Call) bool {
	cmp, ok := cond.(*ssa.BinOp)
	return ok && cmp.Op == token.NEQ && cmp.X == ssa.Value(call) && zeroConst(cmp.Y)
}

// otherElement reports whether a path left a loop over a list when another
// element than the followed one failed.
func otherElement(r ret) bool {
	for _, v := range r.s.visited {
		if v.now < 0 {
			return true
		}
	}
	return false
}

// lifeVerdict is a verdict about a field of an owner.
func (e *engine) lifeVerdict(d *destructor, path string, kind Kind, pos token.Pos) Verdict {
	field := strings.TrimSuffix(path[1:], "[]")
	class := e.fieldClass(d.owner.named, field, []string{d.fn.Name()})
	return Verdict{
		Kind: kind, Tier: min(report.Likely, class.ceiling()), Pos: pos, Class: class, Callee: d.fn.Name(),
		Function: funcName(d.fn), Name: d.fn.Params[0].Name() + "." + field,
	}
}
