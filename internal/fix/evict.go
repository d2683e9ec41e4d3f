// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// evicted releases what a container drops, before it does:
//
//	if mat, ok := c.mats[key]; ok {      // new
//		mat.Close()                  // new
//	}                                    // new
//	delete(c.mats, key)
//
//	for _, mat := range c.mats {         // new
//		mat.Close()                  // new
//	}                                    // new
//	clear(c.mats)
//
// Nothing is offered in a function that releases something of the element's type
// itself: that may well be the element, under another name.
func (v *variant) evicted(verdict ownership.Verdict) []candidate {
	s := v.locateStatement(verdict)
	if s == nil {
		return nil
	}
	container, key := s.takenOut()
	if container == nil || plainOperand(container) == nil {
		return nil // reached through a call or an index
	}
	var elem types.Type
	switch t := v.info.TypeOf(container).Underlying().(type) {
	case *types.Map:
		elem = t.Elem()
	case *types.Slice:
		elem = t.Elem()
	default:
		return nil
	}
	s.handle = plainOperand(container)
	if s.releasesType(elem) {
		return nil
	}
	var list []candidate
	for _, r := range s.releasesOf(elem, verdict.Class) {
		if r.fails && s.joinsErrors() {
			continue // here an error of a release is not dropped
		}
		wish := verdict.Class.Noun
		if !token.IsIdentifier(wish) {
			wish = "old"
		}
		name := freshName(v, s.body, wish)
		if name == "" {
			continue
		}
		e := s.editor()
		switch {
		case key != nil && hasCall(key):
			continue // would be evaluated twice
		case key != nil:
			e.before(s.anchor(), "if "+name+", ok := "+nameText(container)+"["+e.source(key)+"]; ok {", "\t"+r.write(name), "}")
		default:
			e.before(s.anchor(), "for _, "+name+" := range "+nameText(container)+" {", "\t"+r.write(name), "}")
		}
		if c := s.candidate(e, r, "call "+r.verb+" on what "+nameText(container)+" drops"); c != nil {
			list = append(list, *c)
		}
	}
	return list
}

// takenOut finds what a statement takes elements out of, and the key if it is
// one element.
func (s *site) takenOut() (container, key ast.Expr) {
	switch st := s.anchor().(type) {
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return nil, nil
		}
		id, ok := call.Fun.(*ast.Ident)
		if !ok || !s.v.info.Types[id].IsBuiltin() {
			return nil, nil
		}
		switch {
		case id.Name == "delete" && len(call.Args) == 2:
			return call.Args[0], call.Args[1]
		case id.Name == "clear" && len(call.Args) == 1:
			return call.Args[0], nil
		}
	case *ast.AssignStmt:
		if st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
			return nil, nil
		}
		if ix, ok := st.Lhs[0].(*ast.IndexExpr); ok {
			if _, isMap := s.v.info.TypeOf(ix.X).Underlying().(*types.Map); isMap && plainOperand(st.Rhs[0]) != nil {
				return ix.X, ix.Index // m[k] = v: the old one goes
			}
			return nil, nil
		}
		if s.empties(st.Rhs[0], st.Lhs[0]) {
			return st.Lhs[0], nil
		}
	}
	return nil, nil
}

// empties reports whether x, assigned to l, leaves nothing of what l had: nil, a
// new container, l[:0].
func (s *site) empties(x, l ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x.Name == "nil"
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "make" && s.v.info.Types[id].IsBuiltin()
	case *ast.SliceExpr:
		high, ok := s.v.info.Types[x.High]
		return x.High != nil && ok && high.Value != nil && high.Value.String() == "0" && x.Low == nil && plainOperand(l) != nil && sameName(s.v.info, plainOrBad(x.X), l)
	}
	return false
}

// locateStatement finds the statement that a verdict stands at.
func (v *variant) locateStatement(verdict ownership.Verdict) *site {
	return v.siteAt(verdict, verdict.Pos)
}

// siteAt finds the statement at a position: the innermost one that stands in a
// list. The site that it returns has no acquisition.
func (v *variant) siteAt(verdict ownership.Verdict, pos token.Pos) *site {
	src := v.file(pos)
	if src == nil || src.text == nil {
		return nil
	}
	s := &site{v: v, src: src, verdict: verdict}
	path := pathTo(src.syntax, func(n ast.Node) bool {
		_, ok := n.(ast.Stmt)
		return ok && n.Pos() <= pos && pos < n.End()
	})
	for i := 0; i+1 < len(path); i++ {
		st, ok := path[i].(ast.Stmt)
		if !ok {
			continue
		}
		l := listOf(path[i+1], st)
		if l == nil {
			continue
		}
		for k, x := range l.stmts {
			if x == st {
				s.list, s.index = l, k
			}
		}
		s.body = bodyAround(path[i:])
		s.inLoop = loopAround(path[i:])
		s.call = &ast.CallExpr{Fun: &ast.BadExpr{From: st.Pos(), To: st.Pos()}, Lparen: st.Pos(), Rparen: st.Pos()}
		break
	}
	if s.list == nil || s.body == nil {
		return nil
	}
	return s
}

// loopAround reports whether the innermost function on a path has a loop around
// where the path begins.
func loopAround(path []ast.Node) bool {
	for _, n := range path[1:] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// releasesType reports whether the function calls a method that ends the life of
// something of a type.
func (s *site) releasesType(t types.Type) bool {
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.v.info.Selections[sel] != nil && closers[sel.Sel.Name] {
			found = found || types.Identical(s.v.info.TypeOf(sel.X), t)
		}
		fn := callee(s.v.info, call)
		if fn != nil && s.releasing(fn) {
			for _, a := range call.Args {
				found = found || types.Identical(s.v.info.TypeOf(a), t)
			}
		}
		return !found
	})
	return found
}
