// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// finalizers mends what one edit can mend about finalizers and cleanups.
func (v *variant) finalizers(verdict ownership.Verdict) []candidate {
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil {
		return nil
	}
	switch verdict.Kind {
	case ownership.FinalArmed:
		return s.takeOff()
	case ownership.FinalDead:
		return s.keepAlive()
	}
	call := s.callAt(verdict.Pos)
	if call == nil || len(call.Args) < 2 {
		return nil
	}
	switch {
	case verdict.Kind == ownership.FinalThrows:
		return s.methodExpression(call)
	case verdict.Kind == ownership.FinalNever && verdict.Callee == "finalizer":
		return s.ownArgument(call)
	case verdict.Kind == ownership.FinalEarly && verdict.Nil:
		return s.withoutAddress(call)
	}
	return nil
}

// callAt finds the call in a statement whose function operand begins at a
// position.
func (s *site) callAt(pos token.Pos) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(s.anchor(), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Fun.Pos() == pos {
			found = call
		}
		return true
	})
	return found
}

// methodExpression hands over a method as a function of the object:
//
//	runtime.SetFinalizer(op, op.free)  →  runtime.SetFinalizer(op, (*op).free)
func (s *site) methodExpression(call *ast.CallExpr) []candidate {
	sel, ok := ast.Unparen(call.Args[1]).(*ast.SelectorExpr)
	if !ok || s.v.info.Selections[sel] == nil || s.v.info.Selections[sel].Kind() != types.MethodVal {
		return nil
	}
	obj, on := plainOperand(call.Args[0]), plainOperand(sel.X)
	if obj == nil || on == nil || !sameName(s.v.info, obj, on) {
		return nil // another object's method
	}
	name := s.localType(s.v.info.TypeOf(obj))
	if name == "" {
		return nil
	}
	e := s.editor()
	e.replace(sel.X, "(*"+name+")")
	return s.plain(e, "set the method itself as the finalizer")
}

// localType is the name of the type that t points at, if it is declared in this
// package, is not generic, and means that where the statement stands.
func (s *site) localType(t types.Type) string {
	ptr, ok := t.(*types.Pointer)
	if !ok {
		return ""
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() != s.v.pkg || named.TypeParams().Len() > 0 {
		return ""
	}
	inner := s.v.pkg.Scope().Innermost(s.anchor().Pos())
	if inner == nil {
		return ""
	}
	if _, obj := inner.LookupParent(named.Obj().Name(), s.anchor().Pos()); obj != named.Obj() {
		return "" // a variable of that name, as op above
	}
	return named.Obj().Name()
}

// ownArgument makes a finalizer use its argument in place of the variable, which
// would keep the object alive:
//
//	runtime.SetFinalizer(v, func(*T) { v.free() })  →  func(v *T) { v.free() }
func (s *site) ownArgument(call *ast.CallExpr) []candidate {
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	lit, isLit := ast.Unparen(call.Args[1]).(*ast.FuncLit)
	if !ok || !isLit || len(lit.Type.Params.List) != 1 {
		return nil
	}
	param := lit.Type.Params.List[0]
	if !types.Identical(s.v.info.TypeOf(param.Type), s.v.info.TypeOf(id)) || len(param.Names) > 1 {
		return nil
	}
	e := s.editor()
	switch {
	case len(param.Names) == 0:
		e.replace(param.Type, id.Name+" "+e.source(param.Type))
	case mentions(s.v.info, lit.Body, s.v.info.Defs[param.Names[0]]) && param.Names[0].Name != "_":
		return nil // it uses both
	default:
		e.replace(param.Names[0], id.Name)
	}
	return s.plain(e, "use the finalizer's own argument")
}

// withoutAddress sets a cleanup on what a variable points at.
func (s *site) withoutAddress(call *ast.CallExpr) []candidate {
	u, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND || plainOperand(u.X) == nil {
		return nil
	}
	e := s.editor()
	e.replace(u, e.source(u.X))
	return s.plain(e, "set it on what "+nameText(plainOperand(u.X))+" points at")
}

// takeOff takes a finalizer off before an explicit release does its work:
//
//	runtime.SetFinalizer(t, nil)     // new
//	t.h.Free()
func (s *site) takeOff() []candidate {
	verdict := s.verdict
	if verdict.Callee == "cleanup" {
		return nil // its Cleanup was not kept
	}
	obj := s.v.operand(plainCall(s.anchor()))
	if verdict.Callee == "finalizer" {
		name, path, _ := strings.Cut(verdict.Name, ".")
		for range strings.Count(path, ".") + 1 {
			sel, ok := obj.(*ast.SelectorExpr)
			if !ok {
				return nil // released by something else, or under another name
			}
			obj = sel.X
		}
		ptr, ok := s.v.info.TypeOf(obj).(*types.Pointer)
		if !ok {
			return nil // a copy
		}
		named, ok := types.Unalias(ptr.Elem()).(*types.Named)
		if !ok || named.Obj().Name() != name || s.v.partOfOthers(named) {
			return nil // embedded: another object than it looks, or none of its own
		}
	}
	if obj == nil {
		return nil
	}
	at := s.anchor()
	if verdict.Callee == "finalizer" {
		if at = s.firstRelease(obj); at == nil {
			return nil // the finalizer may release more than is released here
		}
	}
	e := s.editor()
	qualifier, ok := s.importStd(e, "runtime")
	if !ok {
		return nil
	}
	e.before(at, qualifier+".SetFinalizer("+nameText(obj)+", nil)")
	return s.plain(e, "take the finalizer of "+nameText(obj)+" off")
}

// firstRelease is where a finalizer is to be taken off: in a release method of the
// object, before the first statement that releases something of it, however many
// fields it releases; elsewhere, before the release, if the object has but one
// field that could hold something. It returns nil if neither is so.
func (s *site) firstRelease(obj ast.Expr) ast.Stmt {
	ptr, _ := s.v.info.TypeOf(obj).(*types.Pointer)
	for _, d := range s.src.syntax.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != s.body || fd.Recv == nil || len(fd.Recv.List[0].Names) == 0 || !closers[fd.Name.Name] {
			continue
		}
		recv := s.v.info.Defs[fd.Recv.List[0].Names[0]]
		if id, ok := obj.(*ast.Ident); !ok || s.v.info.ObjectOf(id) != recv {
			break
		}
		for _, st := range fd.Body.List {
			if s.releasesOfRoot(st, recv) {
				return st
			}
		}
	}
	st, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	holding := 0
	for i := range st.NumFields() {
		if mayPoint(st.Field(i).Type(), 0) {
			holding++
		}
	}
	if holding > 1 {
		return nil
	}
	return s.anchor()
}

// releasesOfRoot reports whether a statement contains a call that releases
// something below a variable.
func (s *site) releasesOfRoot(st ast.Stmt, root types.Object) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			fn, x := callee(s.v.info, call), s.v.operand(call)
			found = fn != nil && x != nil && rootOf(s.v.info, x) == root && (s.releasing(fn) || closers[fn.Name()])
		}
		return !found
	})
	return found
}

// partOfOthers reports whether values of a type lie inside others. The runtime
// takes a finalizer off the start of an object only, and ends the program
// elsewhere.
func (v *variant) partOfOthers(named *types.Named) bool {
	for _, tv := range v.info.Types {
		switch t := tv.Type.(type) {
		case *types.Slice:
			if types.Identical(t.Elem(), named) {
				return true
			}
		case *types.Array:
			if types.Identical(t.Elem(), named) {
				return true
			}
		case *types.Struct:
			for i := range t.NumFields() {
				if types.Identical(t.Field(i).Type(), named) {
					return true
				}
			}
		}
	}
	return false
}

// keepAlive keeps an object alive until C is done with its handle:
//
//	n := C.thing_run(t.c)              defer runtime.KeepAlive(t) // new
//	runtime.KeepAlive(t)   // new      return C.thing_run(t.c)
func (s *site) keepAlive() []candidate {
	name := s.verdict.Name
	if !token.IsIdentifier(name) {
		return nil // nothing names it
	}
	inner := s.v.pkg.Scope().Innermost(s.anchor().Pos())
	if inner == nil {
		return nil
	}
	_, obj := inner.LookupParent(name, s.anchor().Pos())
	if v, ok := obj.(*types.Var); !ok || v.Parent() == s.v.pkg.Scope() || !mentions(s.v.info, s.body, v) {
		return nil
	}
	e := s.editor()
	qualifier, ok := s.importStd(e, "runtime")
	if !ok {
		return nil
	}
	keep := qualifier + ".KeepAlive(" + name + ")"
	switch st := s.anchor().(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt:
		e.after(st, keep)
	case *ast.ReturnStmt:
		e.before(st, "defer "+keep)
	case *ast.IfStmt:
		if s.inLoop || !within(st.Cond, &ast.BadExpr{From: s.verdict.Pos, To: s.verdict.Pos}) && !within(st.Init, &ast.BadExpr{From: s.verdict.Pos, To: s.verdict.Pos}) {
			return nil
		}
		e.before(st, "defer "+keep)
	default:
		return nil
	}
	return s.plain(e, "keep "+name+" alive until the call is done")
}

// importStd is what the file calls a package of the standard library. If it does
// not import it yet, it will: where a list of imports begins with others of the
// standard library.
func (s *site) importStd(e *editor, path string) (qualifier string, ok bool) {
	for _, spec := range s.src.syntax.Imports {
		if spec.Path.Value != `"`+path+`"` {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name, spec.Name.Name != "_" && spec.Name.Name != "."
		}
		return path, true
	}
	if s.v.pkg.Scope().Lookup(path) != nil || !slices.ContainsFunc(s.v.pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == path }) {
		return "", false // the name is taken, or the package has not been loaded
	}
	for _, d := range s.src.syntax.Decls {
		g, isGen := d.(*ast.GenDecl)
		if !isGen || g.Tok != token.IMPORT || !g.Lparen.IsValid() {
			continue
		}
		var before *ast.ImportSpec
		for i, sp := range g.Specs {
			spec := sp.(*ast.ImportSpec)
			if spec.Name != nil || s.isImportC(spec) || strings.Contains(strings.Split(spec.Path.Value, "/")[0], ".") {
				break // not the standard library's any more
			}
			if i > 0 && s.v.pass.Fset.Position(g.Specs[i-1].End()).Line+1 != s.v.pass.Fset.Position(spec.Pos()).Line {
				break // the next group
			}
			if spec.Path.Value > `"`+path+`"` {
				e.before(spec, `"`+path+`"`)
				return path, true
			}
			before = spec
		}
		if before != nil {
			e.after(before, `"`+path+`"`)
			return path, true
		}
	}
	return "", false
}
