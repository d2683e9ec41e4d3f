// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// mayEffect reports whether fn could do anything with the resource at path
// below parameter i but use it. It looks at where the value goes, not at
// paths: no is certain, yes means that fn is worth following. Most functions
// only read their arguments, so this is what keeps summaries cheap.
func (e *engine) mayEffect(fn *ssa.Function, i int, path string) bool {
	if i >= len(fn.Params) {
		return false
	}
	key := effectKey{fn: fn, arg: i, path: path}
	if v, ok := e.may[key]; ok {
		return v // also the answer to recursion
	}
	e.may[key] = false
	f := flow{e: e, seen: map[flowKey]bool{}}
	got := f.follow(fn.Params[i], path)
	e.may[key] = got
	return got
}

type flowKey struct {
	v    ssa.Value
	path string
}

type flow struct {
	e    *engine
	seen map[flowKey]bool
}

// follow reports whether any use of v, with the resource at path below it,
// may be more than a use.
func (f *flow) follow(v ssa.Value, path string) bool {
	k := flowKey{v, path}
	if f.seen[k] || v.Referrers() == nil {
		return false
	}
	f.seen[k] = true
	if len(f.seen) > 2000 {
		return true
	}
	for _, ref := range *v.Referrers() {
		if f.use(ref, v, path) {
			return true
		}
	}
	return false
}

func (f *flow) use(ref ssa.Instruction, v ssa.Value, path string) bool {
	switch ref := ref.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.If, *ssa.Jump:
		return false
	case *ssa.FieldAddr:
		rest, ok := stepInto(path, "."+fieldName(v.Type(), ref.Field))
		return ok && f.follow(ref, rest)
	case *ssa.Field:
		rest, ok := stepInto(path, "."+fieldName(v.Type(), ref.Field))
		return ok && (canHold(ref.Type(), 0) || isFunc(ref.Type())) && f.follow(ref, rest)
	case *ssa.IndexAddr:
		if ref.X != v {
			return false
		}
		rest, ok := stepInto(path, "[]")
		return ok && f.follow(ref, rest)
	case *ssa.Index:
		rest, ok := stepInto(path, "[]")
		return ref.X == v && ok && f.follow(ref, rest)
	case *ssa.Lookup:
		rest, ok := stepInto(path, "[]")
		return ref.X == v && ok && f.follow(ref, rest)
	case *ssa.Range:
		return f.follow(ref, path)
	case *ssa.Next:
		rest, ok := stepInto(path, "[]")
		return ok && f.follow(ref, rest)
	case *ssa.UnOp:
		switch ref.Op {
		case token.MUL:
			_, slice := ref.Type().Underlying().(*types.Slice) // &s[0] may be released
			return (path != "" || slice || canHold(ref.Type(), 0) || isFunc(ref.Type())) && f.follow(ref, path)
		case token.ARROW:
			return true
		}
		return false
	case *ssa.Convert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Extract,
		*ssa.Phi, *ssa.Slice, *ssa.MultiConvert, *ssa.SliceToArrayPointer:
		return f.follow(ref.(ssa.Value), path)
	case *ssa.Store:
		if ref.Val != v {
			return false // something is put into it
		}
		if a, ok := ref.Addr.(*ssa.Alloc); ok {
			return f.follow(a, path) // a variable
		}
		if ia, ok := ref.Addr.(*ssa.IndexAddr); ok {
			if a, ok := ia.X.(*ssa.Alloc); ok && a.Comment == "varargs" {
				return f.follow(a, "[]"+path)
			}
		}
		return true
	case *ssa.MapUpdate:
		return ref.Value == v || ref.Key == v
	case *ssa.MakeClosure:
		fn := ref.Fn.(*ssa.Function)
		for i, b := range ref.Bindings {
			if b == v && i < len(fn.FreeVars) && f.follow(fn.FreeVars[i], path) {
				return true
			}
		}
		return false
	case *ssa.Call:
		return f.call(&ref.Call, ref, v, path)
	case *ssa.Defer:
		return f.call(&ref.Call, nil, v, path)
	}
	return true
}

// stepInto takes a step of a path. A resource at "" is there whatever is read.
func stepInto(path, step string) (string, bool) {
	if path == "" {
		return "", true
	}
	if rest, ok := strings.CutPrefix(path, step); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return rest, true
	}
	if step == "[]" && path[0] == '[' {
		if i := strings.IndexByte(path, ']'); i >= 0 {
			return path[i+1:], true
		}
	}
	return "", false
}

func (f *flow) call(c *ssa.CallCommon, result ssa.Value, v ssa.Value, path string) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "append":
			return result == nil || f.follow(result, path)
		case "copy":
			return len(c.Args) > 1 && c.Args[1] == v
		case "Slice", "Add", "ssa:wrapnilchk", "SliceData":
			return result == nil || f.follow(result, path)
		}
		return false
	}
	switch runtimeFunc(c) {
	case "SetFinalizer", "AddCleanup":
		return true // freed late, but not never
	}
	if m := f.e.callModel(c); m != nil {
		return modelMatters(m)
	}
	if c.IsInvoke() {
		if c.Value == v {
			return releaseNames[c.Method.Name()]
		}
		return !f.e.onlyUses(&invocation{obj: c.Method, common: c})
	}
	if c.Value == v {
		return true // a func: called
	}
	fn := c.StaticCallee()
	if fn == nil {
		return true
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || strings.HasSuffix(fn.Name(), "$bound") {
		for i, a := range c.Args {
			if a == v && (i >= len(fn.Params) || f.follow(fn.Params[i], path)) {
				return true
			}
		}
		return strings.HasSuffix(fn.Name(), "$bound")
	}
	for i, a := range c.Args {
		if a != v {
			continue
		}
		if f.e.local(fn) {
			if f.e.mayEffect(fn, i, path) {
				return true
			}
			continue
		}
		iv := &invocation{obj: obj, callee: fn, common: c, method: obj.Signature().Recv() != nil}
		if f.e.hasSummary(iv) {
			if !f.e.effect(iv, i, path).plain() {
				return true
			}
			continue
		}
		if i == 0 && stdMethod(iv) {
			continue
		}
		if !f.e.onlyUses(iv) || iv.method && i == 0 && releaseNames[obj.Name()] {
			return true
		}
	}
	return false
}

// modelMatters reports whether a model does more than use its arguments.
func modelMatters(m *rules.Func) bool {
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpRelease, rules.OpConsume, rules.OpAdopt, rules.OpSweep, rules.OpAlias, rules.OpPin, rules.OpArena:
			return true
		}
	}
	return false
}

// worthSummary reports whether a type can lead to a resource at all: a
// modelled handle, a C or raw pointer, something with a release method, or a
// struct or container of these. It decides which summaries are written for
// other packages.
func (e *engine) worthSummary(t types.Type) bool {
	if got, ok := e.worth[t]; ok {
		return got
	}
	e.worth[t] = false // recursive types
	got := e.worthOf(t)
	e.worth[t] = got
	return got
}

func (e *engine) worthOf(t types.Type) bool {
	t = types.Unalias(t)
	if isError(t) {
		return false
	}
	if _, ok := t.(*types.TypeParam); ok {
		return true // Must[V any](v V, err error) V
	}
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil {
			return false
		}
		if e.models.Type(n.Obj()) != nil || strings.HasPrefix(n.Obj().Name(), "_Ctype_") {
			return canHold(t, 0)
		}
		for i := 0; i < n.NumMethods(); i++ {
			if releaseNames[n.Method(i).Name()] {
				return true
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	case *types.Pointer:
		return e.worthSummary(u.Elem()) || isBasicPointer(u)
	case *types.Slice:
		return e.worthSummary(u.Elem())
	case *types.Array:
		return e.worthSummary(u.Elem())
	case *types.Map:
		return e.worthSummary(u.Elem())
	case *types.Chan:
		return e.worthSummary(u.Elem())
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if e.worthSummary(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return true // any
		}
		for i := 0; i < u.NumMethods(); i++ {
			if releaseNames[u.Method(i).Name()] {
				return true
			}
		}
	}
	return false
}
