// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// acquisition is one resource that a call brings into being.
type acquisition struct {
	class   Class
	result  int    // result that holds it, or -1
	param   int    // argument (receiver first) that it is stored below, or -1
	path    string // below the result or argument
	cleanup int    // result that is the func which releases it, or -1
	isFunc  bool   // the result is itself that func
	when    rules.Cond
	failing bool // acquired although the call fails
	local   bool // counts only if the argument is an object of the caller's
	fill    bool // fills those elements of an argument that are nil
	ignore  bool // the result is normally ignored
	shared  bool // sometimes borrowed: not followed
}

// site is one acquisition at one place.
type site struct {
	call *ssa.Call
	acq  acquisition
	name string // what the user wrote: ort.NewTensor
}

// sites lists the acquisitions of fn and its literals.
func (e *engine) sites(fn *ssa.Function) []*site {
	var list []*site
	var walk func(f *ssa.Function)
	walk = func(f *ssa.Function) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				for _, a := range e.acquisitions(&call.Call) {
					if !a.shared {
						list = append(list, &site{call: call, acq: a, name: e.sourceName(call)})
					}
				}
			}
		}
		for _, anon := range f.AnonFuncs {
			walk(anon)
		}
	}
	walk(fn)
	return list
}

// acquisitions says what a call acquires: by its model, by the callee's
// summary, or, for C functions that nobody modelled, by the pairs of names and
// types that the package itself shows.
func (e *engine) acquisitions(c *ssa.CallCommon) []acquisition {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil
	}
	if c.IsInvoke() {
		return e.fromModel(e.methodModel(c), true)
	}
	fn := c.StaticCallee()
	if fn == nil {
		return e.fromModel(e.varModel(c.Value), false)
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return nil // a literal: executed in place
	}
	if m := e.model(obj); m != nil {
		return e.fromModel(m, obj.Signature().Recv() != nil)
	}
	if strings.HasSuffix(fn.Name(), "$bound") {
		return nil
	}
	if name, ok := cFuncName(obj.Name()); ok {
		return e.inferredC(name, obj.Signature())
	}
	if e.local(fn) {
		return e.analyze(fn).acquisitions()
	}
	if f := e.fact(obj); f != nil {
		return f.acquisitions()
	}
	return nil
}

// cFuncName is the C name behind a function that cgo made.
func cFuncName(name string) (string, bool) {
	for _, p := range []string{"_Cfunc_", "_C2func_"} {
		if s, ok := strings.CutPrefix(name, p); ok {
			return s, true
		}
	}
	return "", false
}

func (e *engine) fromModel(m *rules.Func, method bool) []acquisition {
	if m == nil {
		return nil
	}
	var list []acquisition
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpAcquire, rules.OpGive:
		case rules.OpView:
			if !eff.Owned {
				continue
			}
		case rules.OpFill:
		default:
			continue
		}
		c := eff.Class
		if c == nil || c.Optional || c.Backstop == rules.BackstopGCOnly || eff.When.Kind == rules.CondMaybe {
			continue
		}
		a := acquisition{class: classOf(c, eff.Release), result: -1, param: -1, cleanup: -1, when: eff.When, path: pathOf(eff.Place), ignore: c.Ignore, fill: eff.Op == rules.OpFill}
		if a.fill && !strings.HasSuffix(a.path, "[]") {
			a.path += "[]"
		}
		if t := e.releaseMethods(c); len(a.class.Releases) == 0 {
			a.class.Releases = t
		}
		switch eff.Place.Kind {
		case rules.PlaceResult:
			a.result = eff.Place.Index
			if eff.Place.All {
				a.result = 0
			}
		case rules.PlaceParam:
			a.param = eff.Place.Index
			if method {
				a.param++
			}
		case rules.PlaceRecv:
			a.param = 0
		}
		for _, other := range m.Effects {
			if other.Op == rules.OpCleanup && other.Place.Kind == rules.PlaceResult {
				if other.Place.Index == a.result {
					a.isFunc = true
				} else {
					a.cleanup = other.Place.Index
				}
			}
		}
		list = append(list, a)
	}
	if len(list) == 0 {
		// A call whose only trace is the func that undoes it.
		for _, eff := range m.Effects {
			if eff.Op == rules.OpCleanup && eff.Place.Kind == rules.PlaceResult {
				c := Class{Name: "cleanup", Noun: "cleanup function", Verb: "called"}
				if eff.Class != nil {
					c = classOf(eff.Class, nil)
				}
				list = append(list, acquisition{class: c, result: eff.Place.Index, param: -1, cleanup: -1, isFunc: true})
			}
		}
	}
	return list
}

// sourceName is the callee as it stands in the source, with the import's own
// name: ort.NewTensor.
func (e *engine) sourceName(call *ssa.Call) string {
	c := e.callExpr(call)
	if c == nil || isCgoWrapper(call.Parent()) {
		return e.calleeName(&call.Call)
	}
	fun := unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			if _, isPkg := e.pass.TypesInfo.Uses[id].(*types.PkgName); isPkg {
				return id.Name + "." + sel.Sel.Name
			}
		}
	}
	return e.calleeName(&call.Call)
}

// calleeName is how a user would write the callee.
func (e *engine) calleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return typeBase(c.Value.Type()) + "." + c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		if obj == nil {
			return fn.Name()
		}
		if name, ok := cFuncName(obj.Name()); ok {
			return "C." + cDisplay(name)
		}
		if recv := obj.Signature().Recv(); recv != nil {
			return typeBase(recv.Type()) + "." + obj.Name()
		}
		if obj.Pkg() == e.pass.Pkg {
			return obj.Name()
		}
		return obj.Pkg().Name() + "." + obj.Name()
	}
	if load, ok := c.Value.(*ssa.UnOp); ok && load.Op == token.MUL {
		if g, ok := load.X.(*ssa.Global); ok {
			if g.Pkg == e.pkg {
				return g.Name()
			}
			return g.Pkg.Pkg.Name() + "." + g.Name()
		}
	}
	return "a function value"
}

// cDisplay undoes cgo's own names.
func cDisplay(name string) string {
	if name == "_CMalloc" {
		return "malloc"
	}
	return name
}

func typeBase(t types.Type) string {
	if a, ok := t.(*types.Alias); ok {
		return a.Obj().Name() // C's typedefs
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// inferredC pairs C functions that no model knows: F acquires if its name says
// so and the package hands the same C type to a function whose name says that
// it releases. The word alone, or the type alone, would be a guess.
func (e *engine) inferredC(name string, sig *types.Signature) []acquisition {
	if hasWord(name, releaseWords) || startsWord(name, borrowWords) || strings.HasSuffix(name, "_result") {
		return nil
	}
	speaks := hasWord(name, acquireWords)
	releases := e.cReleases()
	class := func(t types.Type) (Class, bool) {
		key := cTypeKey(t)
		rel, ok := releases[key]
		if !ok || key == "" {
			return Class{}, false
		}
		noun := typeBase(t)
		if p, ok := t.(*types.Pointer); ok {
			noun = typeBase(p.Elem())
		}
		noun = strings.TrimPrefix(strings.TrimPrefix(noun, "_Ctype_"), "struct_")
		return Class{Name: "c:" + key, Noun: noun, Verb: "released", Releases: []string{"C." + rel}, Inferred: true}, true
	}
	var list []acquisition
	outs := false
	for i := 0; i < sig.Params().Len(); i++ {
		if p, ok := sig.Params().At(i).Type().(*types.Pointer); ok {
			_, handle := p.Elem().(*types.Pointer)
			outs = outs || handle
		}
	}
	if sig.Results().Len() > 0 && speaks && !outs {
		// Beside an out-parameter, a pointer result is the status.
		if c, ok := class(sig.Results().At(0).Type()); ok {
			list = append(list, acquisition{class: c, result: 0, param: -1, cleanup: -1})
		}
	}
	for i := 0; i < sig.Params().Len(); i++ {
		p, ok := sig.Params().At(i).Type().(*types.Pointer)
		if !ok {
			continue
		}
		// An out-parameter of a handle type says as much as a name does, but a
		// pointer to a struct may as well be an argument.
		if _, isStruct := p.Elem().Underlying().(*types.Struct); isStruct {
			continue // an argument like any other
		}
		if i+1 < sig.Params().Len() && isNumber(sig.Params().At(i+1).Type()) {
			continue // an array and its length
		}
		if c, ok := class(p.Elem()); ok {
			list = append(list, acquisition{class: c, result: -1, param: i, cleanup: -1})
		}
	}
	return list
}

// endsC reports whether a C function named like a release can be about a value
// of type t: a raw pointer, or a handle that such a function takes alone. A
// table of functions that every call gets is not released by any of them.
func (e *engine) endsC(t types.Type) bool {
	key := cTypeKey(t)
	return key == "" || e.cReleases()[key] != ""
}

// releasesC is endsC for the arguments that hold the resource.
func (e *engine) releasesC(c *ssa.CallCommon, held []int) bool {
	for _, i := range held {
		if i < len(c.Args) && e.endsC(c.Args[i].Type()) {
			return true
		}
	}
	return false
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Kind() != types.Uintptr
}

// cTypeKey identifies a C handle type: a pointer to a named C type, or a named
// C type that is itself a pointer. Plain numbers and void* are no handles.
func cTypeKey(t types.Type) string {
	name := ""
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		n, ok := types.Unalias(t.Elem()).(*types.Named)
		if !ok {
			return ""
		}
		name = "*" + n.Obj().Name()
		if _, basic := n.Underlying().(*types.Basic); basic {
			return "" // *C.char, *C.int
		}
	case *types.Named:
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			// typedef struct x_st *x: cgo gives x a name of its own where it
			// is filled in, and the struct's where it is passed.
			if n, ok := types.Unalias(u.Elem()).(*types.Named); ok {
				if _, isStruct := n.Underlying().(*types.Struct); isStruct {
					return cTypeKey(u)
				}
			}
			name = t.Obj().Name()
		case *types.Struct:
			name = t.Obj().Name()
		default:
			if b, ok := t.Underlying().(*types.Basic); !ok || b.Kind() != types.UnsafePointer {
				return ""
			}
			name = t.Obj().Name()
		}
	default:
		return ""
	}
	if !strings.Contains(name, "_Ctype_") {
		return ""
	}
	return name
}

// cReleases maps the C types that this package releases to the C function.
func (e *engine) cReleases() map[string]string {
	if e.cRel != nil {
		return e.cRel
	}
	e.cRel = map[string]string{}
	scope := e.pass.Pkg.Scope()
	for _, n := range scope.Names() { // sorted
		name, ok := cFuncName(n)
		if !ok || !e.cEnds(name) {
			continue
		}
		fn, ok := scope.Lookup(n).(*types.Func)
		if !ok || fn.Signature().Params().Len() == 0 {
			continue
		}
		// With several handles it is not clear which one ends.
		keys := handleKeys(fn.Signature())
		if len(keys) != 1 {
			continue
		}
		for _, key := range keys {
			if e.cRel[key] == "" {
				e.cRel[key] = name
			}
			if p, ok := strings.CutPrefix(key, "*"); ok && e.cRel[p] == "" {
				e.cRel[p] = name
			}
		}
	}
	return e.cRel
}
