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

// ownerLacks reports a constructor that puts a resource into a field which
// nothing in the package can release: the type has no method for it, and no
// other code takes the field's value anywhere but to use it.
func (e *engine) ownerLacks(a *fnAnalysis) []Verdict {
	var list []Verdict
	for _, sr := range a.sites {
		if sr.root != a.fn || sr.site.acq.class.Process {
			continue
		}
		for _, o := range sr.outs {
			name := e.holderLacks(a.fn, o)
			if name == "" {
				continue
			}
			st := sr.site
			list = append(list, Verdict{
				Kind: OwnerLacks, Tier: min(report.Likely, st.acq.class.ceiling(), o.certain), Class: st.acq.class, Callee: st.name,
				Function: funcName(sr.root), Acquired: e.callPos(st.call), Pos: e.callPos(st.call), End: e.callEnd(st.call),
				Name: name, Trace: steps(o.s),
			})
			break
		}
	}
	return list
}

// holderLacks names what holds the resource for good at the end of a path, or
// returns "".
func (e *engine) holderLacks(fn *ssa.Function, o outcome) string {
	if len(o.cleanups) > 0 || o.sharing || o.field != "" {
		return ""
	}
	switch {
	case o.kind == Returned && o.captured != nil:
		// A func with neither arguments nor results that holds a resource
		// looks like its clean-up and is not. Any other func uses it for as
		// long as it lives, which is often right.
		sig := o.captured.fn.Signature
		if sig.Params().Len() > 0 || sig.Results().Len() > 1 || sig.Results().Len() == 1 && !isError(sig.Results().At(0).Type()) {
			return ""
		}
		return "a func that only uses it"
	case o.kind == Returned && o.path != "":
		named := namedOf(fn.Signature.Results().At(o.result).Type())
		if named != nil && e.fieldStuck(named, o.path) {
			return named.Obj().Name() + strings.TrimSuffix(o.path, "[]")
		}
	case o.kind == Stored && o.into >= 0 && o.path != "" && o.into < len(fn.Params):
		named := namedOf(fn.Params[o.into].Type())
		if named != nil && e.fieldStuck(named, o.path) {
			return named.Obj().Name() + strings.TrimSuffix(o.path, "[]")
		}
	}
	return ""
}

// fieldStuck reports whether the field at path of a type of this package holds
// its resource for good.
func (e *engine) fieldStuck(named *types.Named, path string) bool {
	if named.Obj().Pkg() != e.pass.Pkg || strings.Count(path, ".") != 1 || path[0] != '.' || strings.Count(path, "[") > 1 {
		return false // deeper: other types are involved
	}
	if len(e.releasers(named, path)) > 0 {
		return false
	}
	name := strings.TrimSuffix(path[1:], "[]")
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	idx := -1
	for i := 0; i < st.NumFields(); i++ {
		if st.Field(i).Name() == name {
			idx = i
		}
	}
	if idx < 0 || st.Field(idx).Embedded() {
		return false // an embedded handle brings its own release method
	}
	if st.Field(idx).Exported() && named.Obj().Exported() && e.pass.Pkg.Name() != "main" {
		return false // other packages can release it
	}
	return e.fieldOnlyUsed(named, path)
}

// fieldOnlyUsed reports whether the package does nothing with the field at path
// but set and use it.
func (e *engine) fieldOnlyUsed(named *types.Named, path string) bool {
	name := strings.TrimSuffix(path[1:], "[]")
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				var v ssa.Value
				switch in := in.(type) {
				case *ssa.FieldAddr:
					if isType(in.X.Type(), named) && fieldName(in.X.Type(), in.Field) == name {
						v = in
					}
				case *ssa.Field:
					if isType(in.X.Type(), named) && fieldName(in.X.Type(), in.Field) == name {
						v = in
					}
				}
				if v != nil && !e.mereUse(v, 0) {
					return false
				}
			}
		}
	}
	return true
}

func isType(t types.Type, named *types.Named) bool {
	n := namedOf(t)
	return n != nil && n.Origin() == named.Origin()
}

// mereUse reports whether every use of v neither releases it nor lets it out
// of sight.
func (e *engine) mereUse(v ssa.Value, depth int) bool {
	if depth > 4 || v.Referrers() == nil {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.Store:
			if ref.Val == v && !sameField(ref.Addr, v) {
				return false
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL && !e.mereUse(ref, depth+1) {
				return false
			}
		case *ssa.Convert, *ssa.ChangeType, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Range, *ssa.Next, *ssa.Extract, *ssa.Lookup:
			if !e.mereUse(ref.(ssa.Value), depth+1) {
				return false
			}
		case *ssa.MapUpdate:
			if ref.Map != v {
				return false
			}
		case *ssa.Call:
			if b, ok := ref.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
				if ref.Call.Args[0] != v || !e.mereUse(ref, depth+1) {
					return false
				}
				continue
			}
			if !e.callUses(&ref.Call, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sameField reports whether v, an appended slice, goes back into the field
// that it came from.
func sameField(addr, v ssa.Value) bool {
	to, ok := addr.(*ssa.FieldAddr)
	call, isCall := v.(*ssa.Call)
	if !ok || !isCall || len(call.Call.Args) == 0 {
		return false
	}
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	from, ok := load.X.(*ssa.FieldAddr)
	return ok && from.Field == to.Field && from.X.Type() == to.X.Type()
}

// callUses reports whether a call only uses v.
func (e *engine) callUses(c *ssa.CallCommon, v ssa.Value) bool {
	if m := e.callModel(c); m != nil {
		return !modelEnds(m)
	}
	if c.IsInvoke() {
		return c.Value == v && !releaseNames[c.Method.Name()]
	}
	fn := c.StaticCallee()
	if fn == nil {
		_, builtin := c.Value.(*ssa.Builtin)
		return builtin
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return false
	}
	if e.local(fn) {
		for i, a := range c.Args {
			if a == v {
				return e.localEffect(fn, i, "").plain()
			}
		}
		return false
	}
	return e.onlyUses(&invocation{obj: obj, common: c}) && !releaseNames[obj.Name()]
}
