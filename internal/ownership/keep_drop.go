// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A dropRun follows the one element that a removal is about: it lies in the
// container when the function begins, and where the removal takes place it is
// only still there if something else holds it.
type dropRun struct {
	ev  *keepEvent
	src loc  // list.Remove: the list element, which stays but leads nowhere
	hit bool // the removal was reached
}

// loses runs the functions around a removal and reports whether the element is
// lost there on some path.
func (k *keepScan) loses(h *held, ev *keepEvent) bool {
	if ev.op == keepFilter || ev.what == "List.Init" {
		return !slices.Contains(h.released, top(ev.fn)) && !slices.Contains(h.gives, top(ev.fn))
	}
	if (ev.op == keepAdd || ev.op == keepSlot) && slices.Contains(h.released, top(ev.fn)) {
		return false // the old one is released, under whatever condition
	}
	if h.obj != nil && !h.obj.IsField() && k.callsReleaser(h, ev.fn) {
		return false // a helper that empties a package variable
	}
	roots := append([]*ssa.Function{top(ev.fn)}, enclosing(ev.fn, top(ev.fn))...)
	if k.ranges(ev.fn) {
		roots = []*ssa.Function{ev.fn}
	}
	for _, root := range roots {
		if lost, hit := k.dropIn(root, h, ev); hit {
			return lost
		}
	}
	return false
}

// callsReleaser reports whether a function calls one that releases elements of
// the container. Summaries speak of arguments, not of package variables.
func (k *keepScan) callsReleaser(h *held, fn *ssa.Function) bool { return k.callsAny(fn, h.released) }

// callsAny reports whether a function calls another one of a list.
func (k *keepScan) callsAny(fn *ssa.Function, list []*ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok {
				if callee := call.Common().StaticCallee(); callee != nil && callee != fn && slices.Contains(list, callee) {
					return true
				}
			}
		}
	}
	return false
}

// ranges reports whether a literal is called for each entry of a sync.Map.
func (k *keepScan) ranges(fn *ssa.Function) bool {
	for _, call := range k.takers(fn) {
		if stdCallee(call.Common(), "sync") == "Map.Range" {
			return true
		}
	}
	return false
}

// dropIn follows the element through root.
func (k *keepScan) dropIn(root *ssa.Function, h *held, ev *keepEvent) (lost, hit bool) {
	r := k.e.newRun(root, nil)
	r.drop = &dropRun{ev: ev}
	s := newState()
	s.status = live
	if !k.place(r, s, root, h, ev) {
		return false, false
	}
	for _, ret := range r.exec(root, s, 0) {
		t := ret.s
		if t.status != live || t.weak || t.over != ev.at.Pos() || t.overName != dropName {
			continue
		}
		held := t.deferredHold()
		for _, v := range ret.vals {
			held = held || t.reach(v)
		}
		for m, v := range t.mem.all() {
			held = held || !isLocal(m.root) && m.root != r.drop.src.root && t.reach(v)
		}
		if !held {
			lost = true
		}
	}
	return lost, r.drop.hit
}

// dropName marks a state whose element was removed.
const dropName = "\x00dropped"

// loop is the loop whose current element a removal is about, if its key or
// index says so. The removal itself may stand on the way out of it.
func (ev *keepEvent) loop(e *engine) *loop {
	if ev.key == nil {
		return nil
	}
	fi := e.info(ev.fn)
	for _, l := range fi.loops {
		if fi.inductive(l, ev.key) {
			return l
		}
		if x, ok := ev.key.(*ssa.Extract); ok {
			if next, ok := x.Tuple.(*ssa.Next); ok && l.contains(next.Block()) && l.head == next.Block() {
				return l
			}
		}
	}
	return nil
}

// place puts the element into the container, in the state that root begins
// with.
func (k *keepScan) place(r *run, s *state, root *ssa.Function, h *held, ev *keepEvent) bool {
	got, ok := keepElem{}, false
	if ev.typ != nil {
		got, ok = k.elem(ev.typ)
	}
	if !ok || got.open {
		if got, ok = k.elemOfAdds(h); !ok {
			got = keepElem{}
		}
	}
	inner := got.path
	if call, ok := ev.at.(ssa.CallInstruction); ok && isListType(callArgType(call)) && len(call.Common().Args) > 1 {
		// What list.Remove removes is known by its list element.
		e := call.Common().Args[1]
		l, ok := pointee(r.eval(s, e))
		if !ok {
			return false
		}
		s.mem.set(l.field(".Value"+inner), own{})
		r.drop.src = l
		return true
	}
	l, ok := k.rootLoc(root, ev.ref)
	if !ok {
		return false
	}
	path := "[]"
	if ev.ref.nested {
		path += "[]"
	} else if ev.typ != nil && k.nestedType(ev) {
		path += "[]"
	}
	l.path += path + inner
	if l.deep() {
		return false
	}
	s.mem.set(l, own{})
	if inner != "" && k.pointerElem(h, ev) {
		// A pointer to an entry: it is not nil, and its parts are in it.
		s.mem.del(l)
		l.path = strings.TrimSuffix(l.path, inner)
		s.mem.set(l, own{})
	}
	for _, v := range h.reads {
		// What a sync.Map hands out.
		if p, ok := v.(*ssa.Parameter); ok && p.Parent() == root {
			if inner == "" {
				s.env.set(p, own{})
			} else {
				s.mem.set(loc{root: sym{v: p}, path: inner}, own{})
			}
		}
	}
	return true
}

// pointerElem reports whether the elements are pointers to structs.
func (k *keepScan) pointerElem(h *held, ev *keepEvent) bool {
	t := ev.typ
	for _, add := range h.adds {
		if t == nil {
			t = add.typ
		}
	}
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func callArgType(call ssa.CallInstruction) types.Type {
	if args := call.Common().Args; len(args) > 0 {
		return args[0].Type()
	}
	return types.Typ[types.Int]
}

// nestedType reports whether the elements of the place are themselves
// containers, and the event is about the outer one.
func (k *keepScan) nestedType(ev *keepEvent) bool {
	var t types.Type
	switch at := ev.at.(type) {
	case *ssa.Call:
		if len(at.Call.Args) > 0 {
			t = at.Call.Args[0].Type()
		}
	case *ssa.Store:
		t = at.Val.Type()
	case *ssa.MapUpdate:
		return isContainer(at.Value.Type())
	}
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return isContainer(u.Elem())
	case *types.Slice:
		return isContainer(u.Elem())
	}
	return false
}

// rootLoc is the abstract location of a place, seen from root.
func (k *keepScan) rootLoc(root *ssa.Function, ref keepRef) (loc, bool) {
	p := ref.place
	switch {
	case p.cell != nil:
		for _, fv := range root.FreeVars {
			if k.origin(fv) == ssa.Value(p.cell) || k.binding(fv) == ssa.Value(p.cell) {
				return loc{root: sym{v: fv}}, true
			}
		}
		return loc{}, false
	case !p.obj.IsField():
		g, ok := k.e.pkg.Members[p.obj.Name()].(*ssa.Global)
		if !ok || p.obj.Pkg() != k.e.pass.Pkg {
			return loc{}, false
		}
		return loc{root: g}, true
	}
	l, ok := k.baseLoc(root, ref.base, 0)
	return l.field("." + p.obj.Name()), ok
}

func (k *keepScan) baseLoc(root *ssa.Function, v ssa.Value, depth int) (loc, bool) {
	if depth > 6 || v == nil {
		return loc{}, false
	}
	switch x := v.(type) {
	case *ssa.FieldAddr:
		l, ok := k.baseLoc(root, x.X, depth+1)
		return l.field("." + fieldName(x.X.Type(), x.Field)), ok
	case *ssa.Global:
		return loc{root: x}, true
	case *ssa.Parameter, *ssa.Call, *ssa.Lookup, *ssa.Phi:
		return loc{root: sym{v: v}}, true
	case *ssa.Extract:
		return loc{root: sym{v: x.Tuple, i: x.Index + 1}}, true
	case *ssa.FreeVar:
		if x.Parent() == root {
			return loc{root: sym{v: x}}, true
		}
		return k.baseLoc(root, k.binding(x), depth+1)
	case *ssa.Alloc:
		if s := keepStore(x); s != nil {
			return k.baseLoc(root, s.Val, depth+1)
		}
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return k.baseLoc(root, x.X, depth+1)
		}
	}
	return loc{}, false
}

// dropNow executes the removal that a run is about. It reports true if the
// instruction is done with.
func (r *run) dropNow(s *state, in ssa.Instruction) bool {
	if s.status != live {
		return false
	}
	ev := r.drop.ev
	r.drop.hit = true
	if l := ev.loop(r.e); l != nil {
		if v := s.visited[l.head]; v.now < 0 || v.now == 0 && v.seen {
			return false // this turn's element is another one
		}
	}
	found := false
	for m, v := range s.mem.each() {
		if isLocal(m.root) || !s.reach(v) {
			continue
		}
		if m.root == r.drop.src.root {
			found = true
			continue
		}
		if _, isOwn := v.(own); isOwn {
			s.mem.del(m)
			found = true
		}
	}
	if !found {
		return false // moved before
	}
	s.over, s.overName = in.Pos(), dropName
	s.mem.set(loc{root: r.drop.src.root, path: "?dropped"}, nilVal{}) // unlike a path around the removal
	v, isValue := in.(ssa.Value)
	if _, isSelect := in.(*ssa.Select); isSelect {
		return false
	}
	if !ev.takes || !isValue {
		return false
	}
	if t, isTuple := v.Type().(*types.Tuple); isTuple && t.Len() == 2 {
		s.set(v, &tup{[]val{own{}, boolVal(true)}})
	} else {
		s.set(v, own{})
	}
	return true
}
