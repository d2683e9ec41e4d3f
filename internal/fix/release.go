// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A release is one way to write down the end of a resource.
type release struct {
	write   func(name string) string // the call, given what names the resource
	verb    string                   // for the fix's message: "Destroy", "C.free"
	fails   bool                     // it returns an error
	nilSafe bool                     // nil may be given to it
	c       string                   // the C function that it calls
	unsafe  bool                     // it needs the import
	elems   bool                     // name is a slice or map of resources
}

// statement is the release as a statement.
func (r *release) statement(name string) []string {
	if r.elems {
		x := elemName(name)
		return []string{"for _, " + x + " := range " + name + " {", "\t" + r.write(x), "}"}
	}
	return []string{r.write(name)}
}

// deferred is the release as a deferred call.
func (r *release) deferred(name string) []string {
	if !r.elems {
		return []string{"defer " + r.write(name)}
	}
	lines := []string{"defer func() {"}
	for _, l := range r.statement(name) {
		lines = append(lines, "\t"+l)
	}
	return append(lines, "}()")
}

// elemName is a name for the elements of a collection: buffers → buffer.
func elemName(name string) string {
	name = name[strings.LastIndex(name, ".")+1:]
	if s, ok := strings.CutSuffix(name, "s"); ok && len(s) > 1 && s != "range" && !token.IsKeyword(s) {
		return s
	}
	return "x"
}

// releases lists the ways to release what the handle of an acquisition names,
// the best one first.
func (s *site) releases() []release {
	f := s.verdict.Fate
	if s.verdict.Class.Process {
		return s.processReleases()
	}
	if f.IsFunc || f.Cleanup >= 0 && s.cleanup {
		// x, cleanup, err := New()
		return []release{{write: func(name string) string { return name + "()" }, verb: "the cleanup function"}}
	}
	if s.handle == nil {
		return nil // nothing names it
	}
	t := s.v.info.TypeOf(s.handle)
	if f.Param >= 0 && f.Path == "" || f.Path == "" {
		return s.releasesOf(t, s.verdict.Class)
	}
	if list := s.releasesOf(t, s.verdict.Class); len(list) > 0 && !strings.HasSuffix(f.Path, "[]") {
		return list // the owner's own release
	}
	if f.Path != "[]" {
		return nil // deep inside: no one statement reaches it
	}
	var list []release
	switch u := t.Underlying().(type) {
	case *types.Slice:
		list = s.releasesOf(u.Elem(), s.verdict.Class)
	case *types.Map:
		list = s.releasesOf(u.Elem(), s.verdict.Class)
	}
	for i := range list {
		list[i].elems = true
	}
	return list
}

// releasesOf lists the ways to release a handle of type t.
func (s *site) releasesOf(t types.Type, class ownership.Class) []release {
	if t == nil {
		return nil
	}
	var list []release
	used := s.usedMethods()
	names := slices.Clone(class.Releases)
	slices.SortStableFunc(names, func(a, b string) int { return used[b] - used[a] })
	nilSafe := false
	if c := s.v.models().ClassByName(class.Name); c != nil {
		nilSafe = c.NilSafe
	}
	for _, name := range names {
		if !token.IsIdentifier(name) {
			continue // a function
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, s.v.pkg, name)
		m, ok := obj.(*types.Func)
		if !ok || m.Signature().Params().Len() > 0 && !(m.Signature().Params().Len() == 1 && m.Signature().Variadic()) {
			continue // another type's method, or one that wants to be told something
		}
		if !m.Exported() && m.Pkg() != s.v.pkg {
			continue
		}
		list = append(list, release{
			write: func(x string) string { return x + "." + name + "()" },
			verb:  name, fails: lastIsError(m.Signature()), nilSafe: nilSafe,
		})
	}
	if len(list) == 0 {
		list = s.modelledMethods(t, class, nilSafe)
	}
	return append(list, s.functions(t, class, nilSafe)...)
}

// modelledMethods lists the methods of t whose models release their receiver's
// resource of a class. A type with several resources names none of them as its
// own release.
func (s *site) modelledMethods(t types.Type, class ownership.Class, nilSafe bool) []release {
	if !isPointer(t) {
		t = types.NewPointer(t)
	}
	var list []release
	set := types.NewMethodSet(t)
	for i := 0; i < set.Len(); i++ { // by name
		m, ok := set.At(i).Obj().(*types.Func)
		if !ok || !m.Exported() || m.Signature().Params().Len() > 0 {
			continue
		}
		model := s.v.models().Func(m)
		if model == nil {
			continue
		}
		for _, e := range model.Effects {
			if e.Op == rules.OpRelease && e.Place.Kind == rules.PlaceRecv && len(e.Place.Path) == 0 && e.Class != nil && e.Class.Name == class.Name {
				name := m.Name()
				list = append(list, release{
					write: func(x string) string { return x + "." + name + "()" },
					verb:  name, fails: lastIsError(m.Signature()), nilSafe: nilSafe,
				})
			}
		}
	}
	return list
}

// usedMethods counts the methods that this package calls, by name: where there
// is a choice, its own habit decides.
func (s *site) usedMethods() map[string]int {
	if s.v.used != nil {
		return s.v.used
	}
	used := map[string]int{}
	s.v.used = used
	for id, obj := range s.v.info.Uses {
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			used[id.Name]++
		}
	}
	return used
}

func lastIsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && isErrorType(sig.Results().At(n-1).Type())
}

// functions lists the functions that release a handle of type t: of this
// package, C among it, and of the one whose function acquired it.
func (s *site) functions(t types.Type, class ownership.Class, nilSafe bool) []release {
	var list []release
	models := s.v.models()
	add := func(fn *types.Func, qualified string, c string) {
		sig := fn.Signature()
		if sig.Recv() != nil || sig.Params().Len() != 1 || sig.Variadic() {
			return // it wants to be told more than the handle
		}
		conv, needUnsafe, ok := conversion(t, sig.Params().At(0).Type())
		if !ok || c != "" && !s.cVisible(c) {
			return
		}
		list = append(list, release{
			write: func(x string) string { return qualified + "(" + strings.ReplaceAll(conv, "$", x) + ")" },
			verb:  qualified, fails: lastIsError(sig), nilSafe: nilSafe, c: c, unsafe: needUnsafe,
		})
	}
	scope := s.v.pkg.Scope()
	for _, name := range scope.Names() { // sorted
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok {
			continue
		}
		if c, isC := strings.CutPrefix(name, "_Cfunc_"); isC {
			if slices.Contains(class.Releases, "C."+c) || releasesClass(models.C(c), class, models) {
				add(fn, "C."+c, c)
			}
		} else if releasesClass(models.Func(fn), class, models) {
			add(fn, name, "")
		}
	}
	if pkg := s.calleePackage(); pkg != nil && pkg != s.v.pkg {
		qualifier := s.importName(pkg)
		for _, name := range pkg.Scope().Names() {
			fn, ok := pkg.Scope().Lookup(name).(*types.Func)
			if ok && fn.Exported() && qualifier != "" && releasesClass(models.Func(fn), class, models) {
				add(fn, qualifier+"."+name, "")
			}
		}
	}
	if len(list) == 0 && s.v.cgo {
		list = append(list, s.undeclared(t, class, nilSafe)...)
	}
	return list
}

// processReleases lists the functions that end what a process opens once.
func (s *site) processReleases() []release {
	pkg := s.calleePackage()
	if pkg == nil || pkg == s.v.pkg || s.importName(pkg) == "" {
		return nil
	}
	var list []release
	models := s.v.models()
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		sig, ok := obj.Type().Underlying().(*types.Signature)
		if !ok || !obj.Exported() || sig.Params().Len() > 0 {
			continue
		}
		var m *rules.Func
		switch obj := obj.(type) {
		case *types.Func:
			m = models.Func(obj)
		case *types.Var:
			m = models.Var(obj) // go-nvml's functions are variables
		}
		if m == nil {
			continue
		}
		call := s.importName(pkg) + "." + name
		for _, e := range m.Effects {
			if e.Op == rules.OpRelease && e.Class != nil && e.Class.Name == s.verdict.Class.Name {
				list = append(list, release{write: func(string) string { return call + "()" }, verb: call})
			}
		}
	}
	return list
}

// releasesClass reports whether a model releases its one argument, of a class.
func releasesClass(m *rules.Func, class ownership.Class, models *rules.Set) bool {
	if m == nil {
		return false
	}
	for _, e := range m.Effects {
		if e.Op == rules.OpRelease && e.Place.Kind == rules.PlaceParam && len(e.Place.Path) == 0 && !e.Partial && !e.Advisory &&
			e.When.Kind == rules.CondDefault && e.Class != nil && e.Class.Releases(models.ClassByName(class.Name)) {
			return true
		}
	}
	return false
}

// conversion writes a handle of type t as an argument of type p; $ stands for
// the handle.
func conversion(t, p types.Type) (text string, needUnsafe, ok bool) {
	switch {
	case types.AssignableTo(t, p):
		return "$", false, true
	case isUnsafePointer(p) && isPointer(t):
		return "unsafe.Pointer($)", true, true
	}
	if n, ok := types.Unalias(p).(*types.Named); ok && isUnsafePointerUnder(p) && (isPointer(t) || isUnsafePointer(t)) {
		if c, ok := strings.CutPrefix(n.Obj().Name(), "_Ctype_"); ok {
			return "C." + c + "($)", false, true // C.gpointer(p)
		}
	}
	if ptr, ok := p.Underlying().(*types.Pointer); ok && types.Identical(ptr.Elem(), t) {
		return "&$", false, true
	}
	return "", false, false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isUnsafePointer(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func isUnsafePointerUnder(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// calleePackage is the package of the function that acquired.
func (s *site) calleePackage() *types.Package {
	fun := ast.Unparen(s.call.Fun)
	if ix, ok := fun.(*ast.IndexExpr); ok {
		fun = ix.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	if obj := s.v.info.Uses[id]; obj != nil {
		return obj.Pkg()
	}
	return nil
}

// importName is what the file calls a package, or "".
func (s *site) importName(pkg *types.Package) string {
	for _, spec := range s.src.syntax.Imports {
		obj := s.v.info.Implicits[spec]
		if spec.Name != nil {
			obj = s.v.info.Defs[spec.Name]
		}
		if name, ok := obj.(*types.PkgName); ok && name.Imported() == pkg && name.Name() != "_" && name.Name() != "." {
			return name.Name()
		}
	}
	return ""
}

// importsUnsafe reports whether the file can write unsafe.Pointer.
func (s *site) importsUnsafe() bool { return s.importName(types.Unsafe) == "unsafe" }

// importUnsafe adds the import behind that of C, which has to stay with the
// comment before it.
func (s *site) importUnsafe(e *editor) {
	for _, d := range s.src.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, spec := range g.Specs {
			if !s.isImportC(spec.(*ast.ImportSpec)) {
				continue
			}
			// The path is longer in the tree than in the text: see bindC.
			path := spec.(*ast.ImportSpec).Path.Pos()
			end := path + token.Pos(len(`"C"`))
			if g.Lparen.IsValid() {
				e.after(&ast.BadDecl{From: path, To: end}, strconv.Quote("unsafe"))
			} else {
				e.after(&ast.BadDecl{From: g.Pos(), To: end}, "", "import "+strconv.Quote("unsafe"))
			}
			return
		}
	}
	e.bad = true
}

// isImportC reports whether an import was that of C before it was bound.
func (s *site) isImportC(spec *ast.ImportSpec) bool {
	off := tokenFile(s.v.pass.Fset, s.src.syntax).Offset(spec.Path.Pos())
	return strings.HasPrefix(string(s.src.text[off:]), `"C"`)
}
