// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// beforeOverwrite releases what a variable or field holds before it gets
// another value:
//
//	if p.mask != nil {         // new
//		p.mask.Close()     // new
//	}                          // new
//	p.mask = next
//
// Where the new value is made from the old one, the release has to wait:
//
//	old := x                   // new
//	x = x.Add(y)
//	old.Drop()                 // new
func (v *variant) beforeOverwrite(verdict ownership.Verdict) []candidate {
	s := v.locateWrite(verdict)
	if s == nil {
		return nil
	}
	var list []candidate
	ways := s.releasesOf(v.info.TypeOf(s.handle), verdict.Class)
	if verdict.Fate == nil {
		ways = append(s.asOwnerDoes(), ways...)
	}
	for _, r := range ways {
		if r.fails && s.joinsErrors() || s.releasedBefore(r, s.anchor().Pos()) && verdict.Fate != nil {
			continue // an error that is not dropped here, or a release that may have been
		}
		for _, make := range []func(release) *candidate{s.swapped, s.releaseFirst, s.releaseAfter} {
			if c := make(r); c != nil {
				list = append(list, *c)
			}
		}
	}
	return list
}

// locateWrite finds the assignment that a verdict is about. The site that it
// returns has no acquisition: its handle is what is written to.
func (v *variant) locateWrite(verdict ownership.Verdict) *site {
	src := v.file(verdict.Pos)
	if src == nil || src.text == nil || verdict.Fate != nil && (verdict.Fate.Unsure || verdict.Fate.Cut) {
		return nil
	}
	s := &site{v: v, src: src, verdict: verdict}
	path := pathTo(src.syntax, func(n ast.Node) bool {
		_, ok := n.(ast.Stmt)
		return ok && n.Pos() <= verdict.Pos && verdict.Pos < n.End()
	})
	for i, n := range path {
		var inner ast.Node = n
		if _, ok := n.(ast.Stmt); !ok || i+1 >= len(path) || listOf(path[i+1], inner) == nil {
			continue
		}
		s.path = path[i:]
		break
	}
	if s.path == nil {
		return nil
	}
	s.call = &ast.CallExpr{Fun: &ast.BadExpr{From: s.path[0].Pos(), To: s.path[0].Pos()}, Lparen: s.path[0].Pos(), Rparen: s.path[0].Pos()}
	whole := s.path
	s.path = append([]ast.Node{s.call}, whole...)
	s.list, s.body = nil, nil
	for i := 1; i < len(s.path); i++ {
		if l := listOf(s.path[i], s.path[i-1]); s.list == nil && l != nil {
			s.list, s.index = l, slices.Index(l.stmts, s.path[i-1].(ast.Stmt))
		}
		switch n := s.path[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			s.inLoop = s.inLoop || s.list != nil
		case *ast.FuncLit:
			s.body, s.decl = n.Body, n.Type
		case *ast.FuncDecl:
			s.body, s.decl = n.Body, n.Type
		}
		if s.body != nil {
			break
		}
	}
	if s.list == nil || s.index < 0 || s.body == nil {
		return nil
	}
	s.handle = s.written(verdict.Name)
	if s.handle == nil || !s.visibleAt(s.anchor().Pos()) {
		return nil
	}
	return s
}

// written finds the operand of a name on the left of the assignment, or behind
// an & in a call.
func (s *site) written(name string) ast.Expr {
	var found ast.Expr
	match := func(x ast.Expr) {
		if p := plainOperand(x); p != nil && found == nil && (name == "" || nameText(p) == name || name == lastName(p)) {
			found = p
		}
	}
	switch st := s.anchor().(type) {
	case *ast.AssignStmt:
		if st.Tok != token.ASSIGN && st.Tok != token.DEFINE {
			return nil
		}
		for _, l := range st.Lhs {
			match(l)
		}
	}
	if found == nil {
		ast.Inspect(s.anchor(), func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
				match(u.X)
			}
			_, block := n.(*ast.BlockStmt)
			return !block
		})
	}
	return found
}

func lastName(x ast.Expr) string {
	if sel, ok := x.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return nameText(x)
}

// releaseFirst releases before the assignment.
func (s *site) releaseFirst(r release) *candidate {
	as, isAssign := s.anchor().(*ast.AssignStmt)
	if isAssign {
		for _, x := range as.Rhs {
			if s.reads(x) {
				return nil // the new value is made from the old one
			}
		}
	}
	e := s.editor()
	lines, ok := s.guarded(r)
	if !ok {
		return nil
	}
	if !isAssign {
		// New(&x) leaves x alone when it fails; what it names is gone.
		if !isPointerLike(s.v.info.TypeOf(s.handle)) {
			return nil
		}
		lines = appendInside(lines, s.name()+" = nil")
	}
	e.before(s.anchor(), lines...)
	return s.candidate(e, r, "call "+r.verb+" on "+s.name()+" before it is assigned again")
}

// appendInside adds a line to the end of a guarded block, or behind a plain one.
func appendInside(lines []string, line string) []string {
	if len(lines) == 3 {
		return []string{lines[0], lines[1], "\t" + line, lines[2]}
	}
	return append(lines, line)
}

func isPointerLike(t types.Type) bool { return isPointer(t) || isUnsafePointer(t) }

// reads reports whether an expression uses the value that is about to go, or
// something that may lead to it.
func (s *site) reads(x ast.Expr) bool {
	root := rootOf(s.v.info, s.handle)
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if y, ok := n.(ast.Expr); ok && plainOperand(y) != nil {
			if sameName(s.v.info, y, s.handle) {
				found = true
			} else if _, field := s.handle.(*ast.SelectorExpr); field {
				// p.next() may well read p.x
				if id, ok := y.(*ast.Ident); ok && s.v.info.ObjectOf(id) == root && !selected(x, id) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// selected reports whether an identifier occurs only as the beginning of a field
// within x.
func selected(x ast.Expr, id *ast.Ident) bool {
	field := false
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.X == ast.Expr(id) {
			field = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.X == ast.Expr(id) {
				field = false
				return false // a method of the whole
			}
		}
		return true
	})
	return field
}

// guarded is the release under the condition that there is something.
func (s *site) guarded(r release) ([]string, bool) {
	guard := s.nilGuard(r)
	t := s.v.info.TypeOf(s.handle)
	if _, isStruct := t.Underlying().(*types.Struct); isStruct && guard == "" {
		guard = "always" // its zero value is what a sibling's release meets, too
	}
	switch {
	case guard == "":
		return nil, false
	case guard == "always" || s.surelySet():
		return r.statement(s.name()), true
	}
	return []string{"if " + guard + " {", "\t" + r.write(s.name()), "}"}, true
}

// surelySet reports whether the variable is known to hold something: it got the
// result of a call before, in the same list or one around it.
func (s *site) surelySet() bool {
	if _, ok := s.handle.(*ast.Ident); !ok || s.inLoop {
		return false
	}
	for _, st := range s.list.stmts[:s.index] {
		as, ok := st.(*ast.AssignStmt)
		if !ok || len(as.Lhs) == 0 || !sameName(s.v.info, plainOrBad(as.Lhs[0]), s.handle) {
			continue
		}
		if _, call := as.Rhs[0].(*ast.CallExpr); call {
			return true
		}
	}
	return false
}

func plainOrBad(x ast.Expr) ast.Expr {
	if p := plainOperand(x); p != nil {
		return p
	}
	return &ast.BadExpr{}
}

// releaseAfter keeps the old value in a variable of its own until the new one is
// made.
func (s *site) releaseAfter(r release) *candidate {
	as, ok := s.anchor().(*ast.AssignStmt)
	if !ok || as.Tok != token.ASSIGN || !s.reads(as.Rhs[0]) || len(as.Rhs) != 1 {
		return nil
	}
	if _, isCall := ast.Unparen(as.Rhs[0]).(*ast.CallExpr); !isCall {
		return nil // x = x[1:] is another thing
	}
	if _, isStruct := s.v.info.TypeOf(s.handle).Underlying().(*types.Struct); isStruct && !r.nilSafe && r.c == "" {
		return nil // a copy of a handle by value is a second owner
	}
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		p := plainOperand(x)
		return p != nil && sameName(s.v.info, p, s.handle)
	}, 0)
	if d.leads(as.Rhs[0]) {
		return nil // the new one may be a view of the old one
	}
	old := freshName(s.v, s.body, "old")
	if old == "" {
		return nil
	}
	e := s.editor()
	e.before(as, old+" := "+s.name())
	rr := r.write(old)
	if guard := nilGuard(s.v.info.TypeOf(s.handle), old, r); guard != "always" && guard != "" && !dereferenced(as.Rhs[0], s) {
		e.after(as, "if "+guard+" {", "\t"+rr, "}")
	} else {
		e.after(as, rr)
	}
	return s.candidate(e, r, "call "+r.verb+" on the old "+s.name()+" once the new one is made")
}

// dereferenced reports whether a method is called on the old value, which is
// therefore not nil.
func dereferenced(x ast.Expr, s *site) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && plainOperand(sel.X) != nil && sameName(s.v.info, sel.X, s.handle)
}

// swapped moves a release that follows the assignment of nil to before it:
//
//	b.c = nil
//	C.destroy(b.c)     the one that is nil now
func (s *site) swapped(r release) *candidate {
	as, ok := s.anchor().(*ast.AssignStmt)
	if !ok || !s.verdict.Nil || len(as.Rhs) != 1 || !isNil(as.Rhs[0]) {
		return nil
	}
	e := s.editor()
	for _, st := range s.list.stmts[s.index+1:] {
		if x, ok := st.(*ast.ExprStmt); ok && e.source(x) == r.write(s.name()) {
			e.before(as, r.write(s.name()))
			e.remove(st)
			return s.candidate(e, r, "call "+r.verb+" before "+s.name()+" is set to nil")
		}
		if leaves(st) {
			break
		}
	}
	return nil
}
