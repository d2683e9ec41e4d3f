// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// maxTurnExits is how many ways out of an iteration a fix covers. With more, a
// person will want to move the body into a function.
const maxTurnExits = 4

// atTurns releases at the end of the statements that make up an iteration, and
// before each way out of them:
//
//	for _, f := range files {
//		m := Read(f)
//		if m.Empty() {
//			m.Close()      // new
//			continue
//		}
//		use(m)
//		m.Close()              // new
//	}
func (s *site) atTurns(r release) *candidate {
	f := s.verdict.Fate
	switch {
	case !s.inLoop || f.Ended > 0 || f.Kept > 0:
		return nil // handed on or released on some path: not the same at each end
	case s.handle == nil || s.ready < 0 || !s.local():
		return nil
	case f.Param < 0 && !s.declaredIn(s.list.node):
		return nil // an older one may be in it
	case s.outlives(s.list.node):
		return nil // a view of it outlives the iteration
	}
	e := s.editor()
	if !s.turnEnds(e, r, s.ready) {
		return nil
	}
	return s.candidate(e, r, "call "+r.verb+" on "+s.name()+" at the end of each iteration")
}

// ranged releases each element of a collection that only a loop ever sees:
//
//	for _, m := range pyramid(img) {
//		use(m)
//		m.Close()              // new
//	}
//
// Where an iteration may leave the loop, the rest would be lost.
func (s *site) ranged() []candidate {
	loop, ok := s.anchor().(*ast.RangeStmt)
	if !ok || ast.Unparen(loop.X) != s.call || s.verdict.Fate.Path != "[]" || loop.Tok != token.DEFINE || len(loop.Body.List) == 0 || hasGoto(s.body) {
		return nil
	}
	x, ok := loop.Value.(*ast.Ident)
	if !ok || x.Name == "_" {
		return nil
	}
	body := &site{
		v: s.v, src: s.src, verdict: s.verdict, call: s.call, body: s.body, decl: s.decl, inLoop: true, handle: x,
		list: &stmtList{loop.Body, loop.Body.List, loop.Body.Rbrace},
	}
	outs, ok := waysOut(loop.Body.List)
	if !ok || len(outs) > maxTurnExits || body.outlives(loop.Body) || body.dependentDefer(loop.Body.Lbrace, loop.Body.Rbrace) || s.v.assigns(loop.Body, x) {
		return nil
	}
	var list []candidate
	for _, r := range s.releasesOf(s.v.info.TypeOf(x), s.verdict.Class) {
		if r.fails && s.joinsErrors() {
			continue // here an error of a release is not dropped
		}
		e := s.editor()
		for _, st := range outs {
			if b, ok := st.(*ast.BranchStmt); !ok || b.Tok != token.CONTINUE || !body.visibleAt(st.Pos()) {
				return nil
			}
			e.before(st, r.write(x.Name))
		}
		if last := loop.Body.List[len(loop.Body.List)-1]; !terminates(last) {
			e.after(last, r.write(x.Name))
		}
		if c := s.candidate(e, r, "call "+r.verb+" on each "+x.Name+" at the end of its iteration"); c != nil {
			list = append(list, *c)
		}
	}
	return list
}

// turnEnds inserts the release at every way out of the list behind statement i.
func (s *site) turnEnds(e *editor, r release, i int) bool {
	if hasGoto(s.body) || s.dependentDefer(s.list.stmts[i].End(), s.list.end) {
		return false
	}
	outs, ok := waysOut(s.list.stmts[i+1:])
	if !ok || len(outs) > maxTurnExits {
		return false
	}
	for _, st := range outs {
		if ret, isRet := st.(*ast.ReturnStmt); isRet && s.usedIn(ret) {
			return false
		}
		if !s.visibleAt(st.Pos()) {
			return false
		}
		e.before(st, r.statement(s.name())...)
	}
	last := s.list.stmts[len(s.list.stmts)-1]
	if terminates(last) {
		return len(outs) > 0
	}
	e.after(last, r.statement(s.name())...)
	return true
}

// declaredIn reports whether the handle is a variable of the given block.
func (s *site) declaredIn(block ast.Node) bool {
	root := rootOf(s.v.info, s.handle)
	return root != nil && block.Pos() <= root.Pos() && root.Pos() <= block.End()
}

// waysOut lists the returns, breaks and continues that leave a list. It reports
// false for a labelled one, as where that leads is not looked up.
func waysOut(list []ast.Stmt) (outs []ast.Stmt, ok bool) {
	ok = true
	var visit func(n ast.Node, breaks, continues bool)
	visit = func(n ast.Node, breaks, continues bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				outs = append(outs, m)
			case *ast.BranchStmt:
				switch {
				case m.Label != nil || m.Tok == token.GOTO:
					ok = false
				case m.Tok == token.BREAK && breaks, m.Tok == token.CONTINUE && continues:
					outs = append(outs, m)
				}
			case *ast.ForStmt:
				if m != n {
					visit(m.Body, false, false)
					return false
				}
			case *ast.RangeStmt:
				if m != n {
					visit(m.Body, false, false)
					return false
				}
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					for _, c := range clauses(m) {
						visit(c, false, continues)
					}
					return false
				}
			}
			return true
		})
	}
	for _, st := range list {
		visit(&ast.BlockStmt{List: []ast.Stmt{st}}, true, true)
	}
	return outs, ok
}

func clauses(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.SwitchStmt:
		return n.Body.List
	case *ast.TypeSwitchStmt:
		return n.Body.List
	case *ast.SelectStmt:
		return n.Body.List
	}
	return nil
}

// undeferred turns a deferred release inside a loop into one at each way out of
// the iteration.
func (s *site) undeferred(r release) *candidate {
	if s.handle == nil || s.ready < 0 || !s.declaredIn(s.list.node) || s.outlives(s.list.node) {
		return nil
	}
	e := s.editor()
	for i, st := range s.list.stmts[s.ready+1:] {
		d, ok := st.(*ast.DeferStmt)
		if !ok || d.Pos() != s.verdict.Pos {
			continue
		}
		call := s.deferredCall(e, d)
		if call == "" {
			return nil
		}
		plain := r
		plain.write = func(string) string { return call }
		plain.elems = false
		if s.ready+1+i == len(s.list.stmts)-1 {
			e.replace(&ast.BadExpr{From: d.Pos(), To: d.Call.Pos()}, "") // nothing comes behind it
			return s.candidate(e, plain, "call "+call+" at once instead of deferring it")
		}
		e.remove(d)
		if !s.turnEndsSkipping(e, plain, s.ready+1+i) {
			return nil
		}
		return s.candidate(e, plain, "call "+call+" at the end of each iteration instead of deferring it")
	}
	return nil
}

// turnEndsSkipping is turnEnds behind a statement that is taken out.
func (s *site) turnEndsSkipping(e *editor, r release, i int) bool {
	for _, st := range s.list.stmts[s.ready+1 : i] {
		if leaves(st) {
			return false // a way out before the defer
		}
	}
	return s.turnEnds(e, r, i)
}

// deferredCall is the text of the call that a statement defers, if it is a plain
// call with nothing but the handle in it: its arguments are evaluated later now.
func (s *site) deferredCall(e *editor, d *ast.DeferStmt) string {
	call := d.Call
	if lit, ok := call.Fun.(*ast.FuncLit); ok {
		if len(call.Args) > 0 || len(lit.Body.List) != 1 {
			return ""
		}
		st, ok := lit.Body.List[0].(*ast.ExprStmt)
		if !ok {
			return ""
		}
		if call, ok = st.X.(*ast.CallExpr); !ok {
			return ""
		}
	}
	root := rootOf(s.v.info, s.handle)
	plain := true
	ast.Inspect(call, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, isVar := s.v.info.ObjectOf(id).(*types.Var); isVar && !v.IsField() && v != root && v.Parent() != s.v.pkg.Scope() {
				plain = false
			}
		}
		return plain
	})
	if !plain || !mentions(s.v.info, call, root) {
		return ""
	}
	return e.source(call)
}
