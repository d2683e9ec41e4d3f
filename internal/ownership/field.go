// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// fieldWrites reports owning fields that a function assigns again, or clears,
// while they still own. A field owns if some method of its type releases it.
//
// Whether the field was empty before cannot be seen inside one function, so a
// plain assignment counts as likely only with evidence that the function runs
// more than once: it is named so, or it does release a sibling first. Clearing
// needs no evidence: who sets nil had something.
func (e *engine) fieldWrites(fn *ssa.Function) []Verdict {
	var list []Verdict
	for i, p := range fn.Params {
		named := namedOf(p.Type())
		if _, ok := p.Type().Underlying().(*types.Pointer); !ok || named == nil || named.Obj().Pkg() != e.pass.Pkg {
			continue
		}
		for _, name := range e.storedFields(fn, p) {
			path := e.ownedPath(named, name)
			if path == "" {
				continue // holds no resource
			}
			if strings.HasSuffix(path, "[]") {
				continue // a container: keepScan.dropped
			}
			rel := e.releasers(named, path)
			if len(rel) == 0 {
				if rel = e.releasedFrom(named, name); len(rel) == 0 {
					continue // nobody releases it: not an owning field
				}
			}
			pos, cleared := e.lostField(fn, i, path)
			if !pos.IsValid() {
				continue
			}
			tier := report.Likely
			if !cleared && (!e.runsAgain(fn, i, named, name) || e.onlyOnFresh(fn, i)) {
				tier = report.Possible
			}
			class := e.fieldClass(named, name, rel)
			list = append(list, Verdict{
				Kind: Overwritten, Tier: min(tier, class.ceiling()), Pos: pos, Class: class, Acquired: pos,
				Function: funcName(fn), Name: p.Name() + "." + name, Nil: cleared,
			})
		}
	}
	return list
}

// isCopied reports whether v is the variable of a parameter that is passed by
// value: such a type is a handle that is copied about, and not what owns it.
//
//	func DestroyGroup(g Group) error { return check(C.groupDestroy(g.id)) }
//	func (g *Group) SetID(id uint)   { g.id = C.id_t(id) }
func isCopied(v ssa.Value) bool {
	cell, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, ref := range *cell.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
			if _, isParam := st.Val.(*ssa.Parameter); isParam {
				return true
			}
		}
	}
	return false
}

// ownedPath is where the resource of a field lies: the field, or the elements
// of the slice or map in it.
func (e *engine) ownedPath(named *types.Named, field string) string {
	t := fieldType(named, field)
	if t == nil || !e.isHandle(leafType(t)) {
		return ""
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array:
		return "." + field + "[]"
	}
	return "." + field
}

// fieldType is the type of a field, or of a field of a field: "params.language".
func fieldType(t types.Type, path string) types.Type {
	for _, name := range strings.Split(path, ".") {
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		t = nil
		for k := 0; k < st.NumFields(); k++ {
			if st.Field(k).Name() == name {
				t = st.Field(k).Type()
			}
		}
		if t == nil {
			return nil
		}
	}
	return t
}

// leafType is what a container holds in the end.
func leafType(t types.Type) types.Type {
	for {
		switch u := t.Underlying().(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		default:
			return t
		}
	}
}

// isHandle reports whether t is surely a resource's handle: modelled, a C or
// raw pointer, or a type with a method that is named like a release and does
// release something. A method of that name alone proves nothing: many of them
// only clear Go memory.
func (e *engine) isHandle(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok && isBasicPointer(p) {
		return true
	}
	named := namedOf(t)
	if named == nil {
		return false
	}
	if strings.HasPrefix(named.Obj().Name(), "_Ctype_") {
		return canHold(t, 0)
	}
	if m := e.models.Type(named.Obj()); m != nil {
		return m.Class != nil && !m.Class.Optional
	}
	for _, name := range e.releasers(named, "") {
		if releaseNames[name] {
			return true
		}
	}
	return false
}

// releasedFrom names the functions that hand a field's value to a release, if
// the release methods themselves get it wrong and their summaries say nothing.
func (e *engine) releasedFrom(named *types.Named, field string) []string {
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				fa, ok := in.(*ssa.FieldAddr)
				if !ok || !isType(fa.X.Type(), named) || fieldName(fa.X.Type(), fa.Field) != field || isCopied(fa.X) {
					continue
				}
				for _, ref := range *fa.Referrers() {
					if load, ok := ref.(*ssa.UnOp); ok && e.goesToRelease(load, 0) {
						top := fn
						for top.Parent() != nil {
							top = top.Parent()
						}
						return []string{top.Name()}
					}
				}
			}
		}
	}
	return nil
}

func (e *engine) goesToRelease(v ssa.Value, depth int) bool {
	if depth > 3 || v.Referrers() == nil {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Call:
			if m := e.callModel(&ref.Call); m != nil && modelEnds(m) {
				return true
			}
			if fn := ref.Call.StaticCallee(); fn != nil {
				if name, ok := cFuncName(fn.Name()); ok && e.cEnds(name) && e.endsC(v.Type()) {
					return true
				}
			}
		case *ssa.Convert, *ssa.ChangeType:
			if e.goesToRelease(ref.(ssa.Value), depth+1) {
				return true
			}
		}
	}
	return false
}

// storedFields are the fields of *p that fn assigns, in order.
func (e *engine) storedFields(fn *ssa.Function, p *ssa.Parameter) []string {
	found := map[string]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			name := fieldName(fa.X.Type(), fa.Field)
			if isParam(fa.X, p) {
				found[name] = true
			} else if outer, ok := fa.X.(*ssa.FieldAddr); ok && isParam(outer.X, p) {
				// A C struct held by value: p.params.language.
				found[fieldName(outer.X.Type(), outer.Field)+"."+name] = true
			}
		}
	}
	return sortedKeys(found)
}

// isParam reports whether v is p, or the captured variable that p became.
func isParam(v ssa.Value, p *ssa.Parameter) bool {
	if v == p {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	cell, ok := load.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, ref := range *cell.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == cell && st.Val == p {
			return true
		}
	}
	return false
}

// lostField follows what the field holds on entry and returns where fn loses
// it, and whether by clearing.
func (e *engine) lostField(fn *ssa.Function, i int, path string) (token.Pos, bool) {
	return e.lostFrom(fn, loc{root: sym{v: fn.Params[i]}, path: path})
}

// lostFrom is lostField for any place.
func (e *engine) lostFrom(fn *ssa.Function, start loc) (token.Pos, bool) {
	r := e.newRun(fn, nil)
	s := newState()
	s.status = live
	s.mem.set(start, own{})
	for _, ret := range r.exec(fn, s, 0) {
		t := ret.s
		if t.status != live || !t.over.IsValid() || t.weak {
			continue
		}
		if _, still := t.mem.at(start).(own); still {
			continue
		}
		held := t.deferredHold()
		for _, v := range ret.vals {
			held = held || t.reach(v)
		}
		for m, v := range t.mem.all() {
			held = held || !isLocal(m.root) && t.reach(v)
		}
		if !held {
			return t.over, t.overNil
		}
	}
	return token.NoPos, false
}

// againWords are in the names of functions that replace what is there.
var againWords = []string{
	"set", "update", "resize", "reset", "reload", "replace", "swap", "change", "zoom", "render", "draw", "process",
	"next", "step", "refresh", "grow", "rebuild", "switch", "handle", "recreate", "reinit", "reopen", "rotate", "todevice", "tohost", "preprocess", "shrink",
}

// beginWords are in the names of functions that run once on a new object.
var beginWords = []string{"load", "init", "open", "start", "setup", "new", "create", "build", "make", "connect", "prepare", "ensure", "begin", "alloc",
	"run", "serve", "main", "with", "attach", "bind", "enable", "compile", "register", "configure", "launch", "boot", "warm", "train", "fit", "unmarshal", "decode", "parse", "read"}

// runsAgain reports evidence that fn runs when the field may be full already.
func (e *engine) runsAgain(fn *ssa.Function, i int, named *types.Named, field string) bool {
	name := strings.ToLower(fn.Name())
	if strings.HasSuffix(name, "_") || releaseNames[fn.Name()] {
		return true // an operation in place
	}
	for _, w := range beginWords {
		if strings.HasPrefix(name, w) {
			return false
		}
	}
	for _, w := range againWords {
		if strings.HasPrefix(name, w) || strings.HasPrefix(name, "on"+w) {
			return true
		}
	}
	if i == 0 && fn.Signature.Recv() != nil {
		return true // a method like any other: called as often as it pleases
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for k := 0; k < st.NumFields(); k++ {
		f := st.Field(k)
		if f.Name() == field || !canHold(f.Type(), 0) || !isHandleField(f.Type()) {
			continue
		}
		eff := e.localEffect(fn, i, "."+f.Name())
		if (eff.OK|eff.Err)&bitReleased != 0 {
			return true // a sibling is released first
		}
	}
	return false
}

func isHandleField(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Struct:
		return true
	case *types.Basic:
		return canHold(t, 0)
	}
	return false
}

// fieldClass describes what an owning field holds.
func (e *engine) fieldClass(named *types.Named, field string, rel []string) Class {
	c := Class{Name: "field", Noun: "resource", Verb: "released", Releases: rel, Owner: true}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return c
	}
	for k := 0; k < st.NumFields(); k++ {
		if st.Field(k).Name() != field {
			continue
		}
		t := namedOf(leafType(st.Field(k).Type()))
		if t == nil {
			continue
		}
		c.Noun = strings.TrimPrefix(strings.TrimPrefix(t.Obj().Name(), "_Ctype_"), "struct_")
		if m := e.models.Type(t.Obj()); m != nil && m.Class != nil {
			return classOf(m.Class, m.Releases)
		}
	}
	return c
}
