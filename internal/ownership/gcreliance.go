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

// leftToGC makes verdicts of their own of ordinary losses that the library's
// garbage collector hook makes good, late. They are advice: such libraries let
// their users rely on it.
func leftToGC(list []Verdict) []Verdict {
	for i := range list {
		v := &list[i]
		if v.Class.Backstop == rules.BackstopGC && (v.Kind == NotReleased || v.Kind == EachTurn) {
			v.Nil = v.Kind == EachTurn
			v.Kind = LeftToGC
		}
	}
	return list
}

// gcVerdicts reports wrappers that are built without the finalizer which the
// package sets on others of their kind, and that nothing else can release.
//
//	func newImage(v *C.Image) *Image {
//		r := &Image{v}
//		runtime.SetFinalizer(r, …)
//		return r
//	}
//	…
//	return &Image{out} // not by newImage
func (e *engine) gcVerdicts() []Verdict {
	fields := e.finalFields()
	if len(fields) == 0 {
		return nil
	}
	var list []Verdict
	for _, fn := range e.funcs {
		if fn.Parent() != nil {
			continue // with its parent
		}
		a := e.analyze(fn)
		if a == nil {
			continue
		}
		for _, sr := range a.sites {
			if sr.root != fn || sr.site.acq.class.Process {
				continue
			}
			if v, ok := e.finalMissing(fn, sr, fields); ok {
				list = append(list, v)
			}
		}
	}
	return list
}

// finalMissing judges where one acquisition went.
func (e *engine) finalMissing(fn *ssa.Function, sr *siteResult, fields map[finalField]string) (Verdict, bool) {
	for _, o := range sr.outs {
		path := o.wrapperPath()
		if o.kind != Returned || o.result < 0 || path == "" || o.captured != nil || len(o.cleanups) > 0 || o.field != "" || o.sharing {
			continue // not returned in a wrapper, or with a func that releases it
		}
		named := namedOf(fn.Signature.Results().At(o.result).Type())
		if named == nil {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "."), "[]")
		sibling, ok := fields[finalField{named.Origin(), name}]
		if !ok || e.releasedByHand(named, "."+name) || sibling == fn.Name() {
			continue // no sibling has one; or the caller can release it
		}
		if e.boxFinal(fn, o.s) {
			continue // set on the box that the wrapper points at
		}
		st := sr.site
		v := Verdict{
			Kind: FinalMissing, Tier: min(report.Likely, st.acq.class.ceiling(), o.certain), Class: st.acq.class, Callee: st.name,
			Function: funcName(fn), Acquired: e.callPos(st.call), Pos: e.callPos(st.call), End: e.callEnd(st.call),
			Name: named.Obj().Name(), Failed: sibling, Trace: steps(o.s),
		}
		return v, true
	}
	return Verdict{}, false
}

// boxFinal reports whether fn has a finalizer set on a local box that holds the
// resource at the end of a path.
func (e *engine) boxFinal(fn *ssa.Function, s *state) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || call.Call.StaticCallee() == nil || runtimeFunc(&call.Call) == "" && !e.setsFinal(call.Call.StaticCallee()) {
				continue
			}
			for _, arg := range call.Call.Args {
				if box, ok := plainValue(arg).(*ssa.Alloc); ok && s.reachLoc(loc{root: box}, map[loc]bool{}) {
					return true
				}
			}
		}
	}
	return false
}

// wrapperPath is where below a result the resource lies. In a struct that is
// returned by value it may lie behind a pointer: Tensor{&handle}.
func (o *outcome) wrapperPath() string {
	if o.path != "" || o.result < 0 || o.result >= len(o.vals) {
		return o.path
	}
	if a, ok := o.vals[o.result].(*agg); ok {
		for _, k := range sortedKeys(a.m) {
			if o.s.reach(a.m[k]) {
				return k
			}
		}
	}
	return ""
}

// releasedByHand reports whether a method that is no finalizer releases the
// field.
func (e *engine) releasedByHand(named *types.Named, path string) bool {
	final := map[string]bool{}
	for _, a := range e.armedFinals() {
		final[a.fn.Name()] = true
	}
	for _, name := range e.releasers(named, path) {
		if !final[name] || token.IsExported(name) {
			return true
		}
	}
	return false
}

// finalField is a field whose content has a finalizer in some function.
type finalField struct {
	named *types.Named
	name  string
}

// finalFields maps the fields that a finalizer releases to the function that
// sets it: on the wrapper itself, or on the box that the field points at.
func (e *engine) finalFields() map[finalField]string {
	found := map[finalField]string{}
	note := func(k finalField, by string) {
		if found[k] == "" {
			found[k] = by // the first one in the source is its constructor, most likely
		}
	}
	for _, a := range e.armedFinals() {
		note(finalField{a.named.Origin(), a.path[1:]}, top(a.f.in).Name())
	}
	for _, f := range e.finals() {
		if f.fn == nil {
			continue // taken off
		}
		if p, ok := f.obj.(*ssa.Parameter); ok { // a helper: see its callers
			for i, q := range f.in.Params {
				if p == q {
					e.boxedFields(f.in, i, note)
				}
			}
			continue
		}
		e.storedFieldsOf(f.obj, top(f.in).Name(), note)
	}
	return found
}

// boxedFields notes the fields into which callers put the box that they give
// to a helper which sets the finalizer.
//
//	setFinalizer((*unsafe.Pointer)(&t))
//	return Tensor{(*unsafe.Pointer)(&t)}
func (e *engine) boxedFields(helper *ssa.Function, i int, note func(finalField, string)) {
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if ok && call.Call.StaticCallee() == helper && i < len(call.Call.Args) {
					e.storedFieldsOf(plainValue(call.Call.Args[i]), helper.Name(), note)
				}
			}
		}
	}
}

// storedFieldsOf notes the fields of this package's types that a pointer is
// stored in, under any conversion.
func (e *engine) storedFieldsOf(v ssa.Value, by string, note func(finalField, string)) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value, depth int)
	visit = func(v ssa.Value, depth int) {
		if seen[v] || depth > 4 || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Convert, *ssa.ChangeType:
				visit(ref.(ssa.Value), depth+1)
			case *ssa.Store:
				fa, ok := ref.Addr.(*ssa.FieldAddr)
				if !ok || ref.Val != v {
					continue
				}
				if named := namedOf(fa.X.Type()); named != nil && named.Obj().Pkg() == e.pass.Pkg {
					note(finalField{named.Origin(), fieldName(fa.X.Type(), fa.Field)}, by)
				}
			}
		}
	}
	visit(v, 0)
}
