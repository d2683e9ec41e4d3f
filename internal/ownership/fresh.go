// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// addFresh records that a result of a.fn is owned by the caller.
func (e *engine) addFresh(a *fnAnalysis, class Class, sr *siteResult, o outcome, seen map[string]bool) {
	sig := a.fn.Signature
	if o.sharing {
		e.addLent(a, class, o)
	}
	if o.sharing || o.path == "()" || len(o.s.may) > 0 {
		return // also kept elsewhere, or captured by a func that only uses it
	}
	f := ResultFact{Result: o.result, Path: o.path, Class: class, Cleanup: -1}
	if o.result < 0 {
		// Only the func that releases it comes back.
		f.Result, f.IsFunc, f.Path = o.cleanups[0], true, ""
	} else if len(o.cleanups) > 0 {
		f.Cleanup = o.cleanups[0]
	}
	if o.field != "" {
		f = e.funcOwner(f, sig.Results().At(f.Result).Type(), o.field)
	} else if f.Path != "" {
		f = e.ownerOf(f, sig.Results().At(f.Result).Type(), o)
	}
	key := itoa(int64(f.Result)) + f.Path
	if seen[key] {
		return
	}
	if e.sometimesBorrowed(a.fn, f.Result) {
		f.Shared = true
	}
	seen[key] = true
	a.fresh = append(a.fresh, f)
}

// ownerOf turns "a resource below result i" into "result i is an owner" if its
// type has a method that releases it; otherwise the part stays what is owned.
func (e *engine) ownerOf(f ResultFact, t types.Type, o outcome) ResultFact {
	named := namedOf(t)
	if types.IsInterface(t) && o.ret != nil {
		if dyn := dynamicType(o.ret.Results[f.Result]); dyn != nil {
			named = namedOf(dyn)
		}
	}
	if named == nil {
		return f
	}
	rel := e.releasers(named, f.Path)
	if len(rel) == 0 {
		return f
	}
	inner := f.Class
	f.Path = ""
	f.Class = Class{
		Name: "owner:" + named.Obj().Pkg().Path() + "." + named.Obj().Name(), Noun: named.Obj().Name() + " holding " + nounOf(inner),
		Verb: participle(rel[0]), Releases: rel, Owner: true, Inferred: inner.Inferred, Backstop: inner.Backstop,
	}
	return f
}

// funcOwner makes result i an owner whose destructor is a func in a field.
func (e *engine) funcOwner(f ResultFact, t types.Type, field string) ResultFact {
	name := strings.TrimSuffix(strings.TrimPrefix(field, "."), "[]")
	rel := []string{name}
	typ := name
	if named := namedOf(t); named != nil {
		rel = append(rel, e.releasers(named, "")...)
		typ = named.Obj().Pkg().Path() + "." + named.Obj().Name()
		f.Class.Noun = named.Obj().Name() + " holding " + nounOf(f.Class)
	}
	f.Path = ""
	f.Class = Class{
		Name: "owner:" + typ, Noun: f.Class.Noun, Verb: participle(name), Releases: rel, Owner: true,
		Inferred: f.Class.Inferred, Backstop: f.Class.Backstop,
	}
	return f
}

// nounOf keeps nested owners' names short.
func nounOf(c Class) string {
	if _, inner, ok := strings.Cut(c.Noun, " holding "); ok {
		return inner
	}
	return c.Noun
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	return n
}

func dynamicType(v ssa.Value) types.Type {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X.Type()
	}
	if phi, ok := v.(*ssa.Phi); ok {
		for _, edge := range phi.Edges {
			if t := dynamicType(edge); t != nil {
				return t
			}
		}
	}
	return nil
}

// releasers are the methods of a type that release what lies at path, best
// name first.
func (e *engine) releasers(named *types.Named, path string) []string {
	named = named.Origin()
	var good, other []string
	for i := 0; i < named.NumMethods(); i++ {
		m := named.Method(i)
		var eff effect
		if m.Pkg() == e.pass.Pkg {
			fn := e.pkg.Prog.FuncValue(m)
			if fn == nil || !e.local(fn) {
				continue
			}
			eff = e.localEffect(fn, 0, path)
		} else if f := e.fact(m); f != nil {
			eff = f.effect(0, path)
		} else {
			continue
		}
		if (eff.OK|eff.Err)&bitReleased == 0 && !((eff.OK|eff.Err)&bitMoved != 0 && releaseNames[m.Name()]) {
			continue
		}
		if releaseNames[m.Name()] {
			good = append(good, m.Name())
		} else {
			other = append(other, m.Name())
		}
	}
	return append(good, other...)
}

// participle is the message's verb for a release method.
func participle(name string) string {
	switch strings.TrimPrefix(name, "Must") {
	case "Close", "close":
		return "closed"
	case "Free", "free":
		return "freed"
	case "Release", "release":
		return "released"
	case "Destroy", "destroy":
		return "destroyed"
	case "Drop":
		return "dropped"
	case "Delete":
		return "deleted"
	case "Dispose":
		return "disposed of"
	case "Finalize", "FinalizeAll":
		return "finalized"
	case "Shutdown":
		return "shut down"
	case "Stop":
		return "stopped"
	case "Unload":
		return "unloaded"
	}
	return "released"
}

// sometimesBorrowed reports whether some return of fn yields, at result i,
// something that is neither new nor nothing: the cached object of a get-or-make
// function. Such results have no clear owner.
func (e *engine) sometimesBorrowed(fn *ssa.Function, i int) bool {
	seen := map[ssa.Value]bool{}
	var borrowed func(v ssa.Value) bool
	borrowed = func(v ssa.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			for _, edge := range v.Edges {
				if borrowed(edge) {
					return true
				}
			}
		case *ssa.MakeInterface:
			return borrowed(v.X)
		case *ssa.ChangeType:
			return borrowed(v.X)
		case *ssa.ChangeInterface:
			return borrowed(v.X)
		case *ssa.Lookup:
			return true
		case *ssa.Extract:
			if _, ok := v.Tuple.(*ssa.Lookup); ok {
				return true
			}
			if ta, ok := v.Tuple.(*ssa.TypeAssert); ok {
				return borrowed(ta.X)
			}
		case *ssa.TypeAssert:
			return borrowed(v.X)
		case *ssa.Parameter:
			return true
		case *ssa.UnOp:
			if v.Op != token.MUL {
				return false
			}
			switch x := v.X.(type) {
			case *ssa.Global:
				return true
			case *ssa.FieldAddr:
				// A field of an argument: a getter or a lazy initialiser.
				_, isParam := x.X.(*ssa.Parameter)
				return isParam
			}
		}
		return false
	}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && i < len(ret.Results) && borrowed(ret.Results[i]) {
			return true
		}
	}
	return false
}
