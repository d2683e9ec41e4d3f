// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// forgotten releases a field in the release method that has forgotten it.
func (v *variant) forgotten(verdict ownership.Verdict) []candidate {
	decl := v.methodAt(verdict)
	if decl == nil {
		return nil
	}
	field := verdict.Name[strings.LastIndex(verdict.Name, ".")+1:]
	if strings.ContainsAny(field, "[]") {
		return nil // a collection: how it is emptied is for its author to say
	}
	return v.releaseIn(verdict, decl, field)
}

// methodAt is the method around a verdict's position.
func (v *variant) methodAt(verdict ownership.Verdict) *ast.FuncDecl {
	src := v.file(verdict.Pos)
	if src == nil || src.text == nil {
		return nil
	}
	for _, d := range src.syntax.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if ok && fd.Pos() <= verdict.Pos && verdict.Pos <= fd.End() && fd.Recv != nil && fd.Body != nil && len(fd.Recv.List[0].Names) > 0 {
			return fd
		}
	}
	return nil
}

// clearAfter sets the fields that a release method releases to nil, so that a
// second call finds nothing left:
//
//	m.out.Destroy()      →      if m.out != nil {
//	                                m.out.Destroy()
//	                                m.out = nil
//	                            }
//
// The test is left out where there is one already. The engine names one field at
// a time; all that the method releases in this way are cleared together.
func (v *variant) clearAfter(verdict ownership.Verdict) []candidate {
	decl := v.methodAt(verdict)
	if decl == nil {
		return nil
	}
	if _, isPtr := decl.Recv.List[0].Type.(*ast.StarExpr); !isPtr {
		return nil // it would clear a copy
	}
	s := &site{v: v, src: v.file(decl.Pos()), verdict: verdict, body: decl.Body, decl: decl.Type}
	e := s.editor()
	var names []string
	var walk func(l *stmtList, tested string)
	walk = func(l *stmtList, tested string) {
		for i, st := range l.stmts {
			if is, ok := st.(*ast.IfStmt); ok && is.Else == nil && is.Init == nil {
				walk(&stmtList{is.Body, is.Body.List, is.Body.Rbrace}, testedField(is.Cond))
			}
			field := s.releasedField(st, decl.Recv.List[0].Names[0])
			if field == "" || i+1 < len(l.stmts) && clearsField(l.stmts[i+1], field) {
				continue // another statement, or cleared already
			}
			names = append(names, field)
			if tested == field {
				e.after(st, field+" = nil")
				continue
			}
			e.before(st, "if "+field+" != nil {")
			e.replace(st, "\t"+e.source(st))
			e.after(st, "\t"+field+" = nil", "}")
		}
	}
	walk(&stmtList{decl.Body, decl.Body.List, decl.Body.Rbrace}, "")
	edits := e.done()
	if len(names) == 0 || edits == nil {
		return nil // deferred, in a loop, or their errors are looked at
	}
	return []candidate{{message: "set " + strings.Join(names, ", ") + " to nil once released", edits: edits}}
}

// testedField is x.f in a condition x.f != nil.
func testedField(cond ast.Expr) string {
	if bin, ok := cond.(*ast.BinaryExpr); ok && bin.Op == token.NEQ && isNil(bin.Y) {
		return nameText(bin.X)
	}
	return ""
}

// clearsField reports whether a statement sets a field to nil.
func clearsField(st ast.Stmt, field string) bool {
	as, ok := st.(*ast.AssignStmt)
	return ok && len(as.Lhs) == 1 && len(as.Rhs) == 1 && isNil(as.Rhs[0]) && nameText(as.Lhs[0]) == field
}

// releasedField is the pointer field of the receiver that a statement, a call of
// its own, releases.
func (s *site) releasedField(st ast.Stmt, recv *ast.Ident) string {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return ""
	}
	fn := callee(s.v.info, call)
	if fn == nil || !s.releasing(fn) && !closers[fn.Name()] {
		return ""
	}
	field := ""
	ast.Inspect(call, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || s.v.info.Selections[sel] == nil || field != "" {
			return field == ""
		}
		if id, ok := sel.X.(*ast.Ident); ok && s.v.info.ObjectOf(id) == s.v.info.Defs[recv] && isPointerLike(s.v.info.TypeOf(sel)) {
			field = nameText(sel)
		}
		return field == ""
	})
	return field
}
