// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sameList reports whether two statements stand in one list of one function.
func sameList(a, b *site) bool {
	return a != nil && b != nil && a.list.node == b.list.node && a.body == b.body
}

// plainCall is the call that a statement consists of, deferred or not.
func plainCall(st ast.Stmt) *ast.CallExpr {
	switch st := st.(type) {
	case *ast.ExprStmt:
		call, _ := ast.Unparen(st.X).(*ast.CallExpr)
		return call
	case *ast.DeferStmt:
		return st.Call
	case *ast.AssignStmt:
		if st.Tok == token.ASSIGN && len(st.Rhs) == 1 && !slices.ContainsFunc(st.Lhs, func(l ast.Expr) bool { return !isBlank(l) }) {
			call, _ := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
			return call // _ = x.Close()
		}
	}
	return nil
}

// isDefer reports whether a statement defers.
func isDefer(st ast.Stmt) bool {
	_, ok := st.(*ast.DeferStmt)
	return ok
}

// operand is what a call releases: its receiver, or its one argument without
// conversions, if that can be written down again anywhere.
func (v *variant) operand(call *ast.CallExpr) ast.Expr {
	if call == nil {
		return nil
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && v.info.Selections[sel] != nil {
		if len(call.Args) > 0 {
			return nil
		}
		return plainOperand(sel.X)
	}
	if len(call.Args) != 1 {
		return nil
	}
	x := ast.Unparen(call.Args[0])
	for {
		switch y := x.(type) {
		case *ast.CallExpr:
			if len(y.Args) != 1 || !v.info.Types[y.Fun].IsType() {
				return nil
			}
			x = ast.Unparen(y.Args[0])
			continue
		case *ast.UnaryExpr:
			if y.Op == token.AND {
				return plainOperand(y.X)
			}
			return nil
		}
		return plainOperand(x)
	}
}

// touches reports whether a statement mentions a plain operand, or a variable of
// a set.
func (v *variant) touches(st ast.Node, x ast.Expr, vars map[types.Object]bool) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && vars[v.info.ObjectOf(id)] {
			found = true
		}
		if y, ok := n.(ast.Expr); ok && !found && plainOperand(y) != nil && sameName(v.info, y, x) {
			found = true
		}
		return !found
	})
	return found
}

// assigns reports whether a statement gives a plain operand, or what it begins
// with, another value.
func (v *variant) assigns(st ast.Node, x ast.Expr) bool {
	root := rootOf(v.info, x)
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if p := plainOperand(l); p != nil && (sameName(v.info, p, x) || v.info.ObjectOf(rootIdent(p)) == root && len(nameText(p)) < len(nameText(x))) {
					found = true
				}
			}
		case *ast.UnaryExpr:
			if p := plainOperand(n.X); n.Op == token.AND && p != nil && sameName(v.info, p, x) {
				found = true // through its address
			}
		}
		return !found
	})
	return found
}

// handedWhole reports whether a statement does something with the whole of which
// an operand is a field: calls a method of it, or passes it on.
func (v *variant) handedWhole(st ast.Node, x ast.Expr) bool {
	if _, field := x.(*ast.SelectorExpr); !field {
		return false
	}
	root := rootOf(v.info, x)
	fields := map[*ast.Ident]bool{} // mentions that only lead to a field
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if sel := v.info.Selections[n]; sel != nil && sel.Kind() == types.FieldVal {
				if id, ok := n.X.(*ast.Ident); ok {
					fields[id] = true
				}
			}
		case *ast.Ident:
			found = found || v.info.ObjectOf(n) == root && !fields[n]
		}
		return !found
	})
	return found
}

// aside reports whether a statement mentions an operand, or one of the variables,
// in code that runs at another time: a goroutine, a deferred call, a literal.
func (v *variant) aside(st ast.Node, x ast.Expr, vars map[types.Object]bool) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.DeferStmt, *ast.FuncLit, *ast.SendStmt:
			found = found || v.touches(n, x, vars)
		}
		return !found
	})
	return found
}

// rootIdent is the identifier that a plain operand begins with.
func rootIdent(x ast.Expr) *ast.Ident {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		default:
			return &ast.Ident{}
		}
	}
}

// removable reports whether a statement can go without leaving an empty block.
func (s *site) removable() bool { return len(s.list.stmts) > 1 }

// explained reports whether a comment stands right above a statement: it would
// be left behind, or say something that is no longer so.
func (e *editor) explained(st ast.Node) bool {
	start, _ := e.line(e.offset(st.Pos()))
	if start == 0 {
		return false
	}
	prev, end := e.line(start - 1)
	text := bytes.TrimSpace(e.s.text[prev:end])
	return bytes.HasPrefix(text, []byte("//")) || bytes.HasSuffix(text, []byte("*/"))
}

// wholeLine is a statement with the comment behind it.
func (e *editor) wholeLine(st ast.Node) string {
	_, end := e.line(e.offset(st.End()))
	return string(bytes.TrimSpace(e.s.text[e.offset(st.Pos()):end]))
}

// leavesBetween reports whether a statement of a list between two others, the
// second included, may leave the list.
func (s *site) leavesBetween(from, to int) bool {
	return slices.ContainsFunc(s.list.stmts[from+1:to+1], func(st ast.Stmt) bool { return leaves(st) || terminates(st) })
}

// plain wraps edits that release nothing of their own.
func (s *site) plain(e *editor, message string) []candidate {
	c := s.candidate(e, release{}, message)
	if c == nil {
		return nil
	}
	return []candidate{*c}
}
