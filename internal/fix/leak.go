// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
)

// deferAtOnce defers the release as soon as the acquisition is known to have
// succeeded. It is right where the resource dies in this function on every path:
//
//	x, err := New()
//	if err != nil {
//		return err
//	}
//	defer x.Close()        // new
func (s *site) deferAtOnce(r release) *candidate {
	f := s.verdict.Fate
	switch {
	case f.Ended > 0 || f.Kept > 0 || f.Turns:
		return nil // released or handed on elsewhere
	case s.inLoop:
		return nil // would run once a call, not once an iteration
	case s.ready < 0:
		return nil
	case s.verdict.Class.Process:
		e := s.editor()
		e.after(s.list.stmts[s.ready], r.deferred("")...)
		return s.candidate(e, r, "defer "+r.verb+" as soon as it is needed")
	case s.handle == nil || !s.local():
		return nil
	case s.outlives(s.body):
		return nil // a view of it is returned or kept
	}
	e := s.editor()
	e.after(s.list.stmts[s.ready], r.deferred(s.name())...)
	return s.candidate(e, r, "defer "+r.verb+" as soon as "+s.name()+" is acquired")
}

// deferEarlier moves a deferred release that stands behind the exits which lose
// the resource.
func (s *site) deferEarlier(r release) *candidate {
	if s.handle == nil || s.ready < 0 || s.inLoop {
		return nil
	}
	for _, st := range s.list.stmts[s.ready+1:] {
		d, ok := st.(*ast.DeferStmt)
		if !ok {
			continue
		}
		e := s.editor()
		if s.deferredCall(e, d) == "" {
			continue // of something else, or more than a release
		}
		e.after(s.list.stmts[s.ready], e.source(d))
		e.remove(d)
		return s.candidate(e, r, "move the deferred "+r.verb+" to where "+s.name()+" is acquired")
	}
	return nil
}

// atExits releases before each return that loses the resource.
func (s *site) atExits(r release) *candidate {
	f := s.verdict.Fate
	if s.handle == nil || s.ready < 0 || f.Turns || len(f.Exits) == 0 {
		return nil
	}
	e := s.editor()
	for _, x := range f.Exits {
		if !s.exit(e, r, x.Pos) {
			return nil
		}
	}
	if s.escapesBefore(f.Exits[len(f.Exits)-1].Pos) {
		return nil // somebody else looks at it by then
	}
	if f.Ended > 0 && s.handedOver(f.Exits[len(f.Exits)-1].Pos) {
		return nil // the callee may have ended it on some of its paths
	}
	what := "return"
	if len(f.Exits) > 1 {
		what = "returns"
	}
	return s.candidate(e, r, "call "+r.verb+" on "+s.name()+" before the "+what+" that would lose it")
}

// exit inserts a release before one exit.
func (s *site) exit(e *editor, r release, pos token.Pos) bool {
	if pos == s.body.Rbrace {
		if s.list.node != ast.Node(s.body) || s.dependentDefer(s.call.Pos(), pos) {
			return false // the end of the function is not only of this list
		}
		e.atEnd(s.list, r.statement(s.name())...)
		return true
	}
	ret := s.returnAt(pos)
	if ret == nil || !s.after(ret) || !s.visibleAt(ret.Pos()) || s.usedIn(ret) || s.dependentDefer(s.call.Pos(), pos) {
		return false
	}
	if s.releasedBefore(r, ret.Pos()) {
		return false
	}
	e.before(ret, r.statement(s.name())...)
	return true
}

// handedOver reports whether, before a position, the handle is given to a function
// without a model. One that releases on some of its failures and not on others
// leaves nothing that would be right for both.
func (s *site) handedOver(to token.Pos) bool {
	root := rootOf(s.v.info, s.handle)
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call == s.call || call.Pos() < s.call.Pos() || call.Pos() >= to {
			return !found
		}
		fn := callee(s.v.info, call)
		if tv := s.v.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() || fn != nil && fn.Pkg() != nil && fn.Pkg() != s.v.pkg && s.v.models().Package(fn.Pkg().Path()) {
			return !found // a conversion, or a library whose releases are all known
		}
		if fn != nil && s.v.models().Func(fn) != nil {
			return !found // C, or a function with a directive
		}
		given := call.Args
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			given = append([]ast.Expr{sel.X}, given...)
		}
		for _, a := range given {
			if id, ok := ast.Unparen(a).(*ast.Ident); ok && s.v.info.ObjectOf(id) == root {
				found = true
			}
		}
		return !found
	})
	return found
}

// returnAt finds the return statement at a position, if it is one of the
// function that acquires and not of a literal in it.
func (s *site) returnAt(pos token.Pos) *ast.ReturnStmt {
	path := pathTo(s.body, func(n ast.Node) bool {
		_, ok := n.(*ast.ReturnStmt)
		return ok && n.Pos() == pos
	})
	if path == nil || bodyAround(path) != nil {
		return nil // a literal's
	}
	return path[0].(*ast.ReturnStmt)
}

// bodyAround is the body of the innermost function on a path, or nil.
func bodyAround(path []ast.Node) *ast.BlockStmt {
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Body
		case *ast.FuncDecl:
			return n.Body
		}
	}
	return nil
}

// after reports whether a statement runs only after the acquisition is known to
// have succeeded: it stands in the same list behind the check, at any depth.
// Without labels to jump to, there is no other way to it.
func (s *site) after(st ast.Node) bool {
	if hasGoto(s.body) {
		return false
	}
	for _, later := range s.list.stmts[s.ready+1:] {
		if within(later, st) {
			return true
		}
	}
	return false
}

func hasGoto(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}

// usedIn reports whether a return's results are computed from the resource, so
// that it has to be there still.
func (s *site) usedIn(ret *ast.ReturnStmt) bool {
	root := rootOf(s.v.info, s.handle)
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && s.v.info.ObjectOf(id) == root
	}, 0)
	for _, x := range ret.Results {
		used := false
		ast.Inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				obj := s.v.info.ObjectOf(id)
				used = used || obj != nil && (obj == root || d.vars[obj])
			}
			return !used
		})
		if used {
			return true
		}
	}
	return false
}

// releasedBefore reports whether the same release stands before a position on a
// way that may lead there, in which case it would be made twice.
func (s *site) releasedBefore(r release, pos token.Pos) bool {
	e := s.editor()
	want := r.write(s.name())
	found := false
	var lists []ast.Node
	ast.Inspect(s.body, func(n ast.Node) bool {
		if n == nil {
			lists = lists[:len(lists)-1]
			return true
		}
		lists = append(lists, n)
		if _, lit := n.(*ast.FuncLit); lit {
			lists = lists[:len(lists)-1]
			return false
		}
		st, ok := n.(*ast.ExprStmt)
		if !ok || st.Pos() < s.call.Pos() || st.Pos() > pos || e.source(st.X) != want {
			return true
		}
		// A release in a block that ends in a return leads nowhere.
		for i := len(lists) - 2; i >= 0; i-- {
			l := listOf(lists[i], lists[i+1])
			if l == nil {
				continue
			}
			last := l.stmts[len(l.stmts)-1]
			found = found || !terminates(last) || within(last, &ast.BadStmt{From: pos, To: pos})
			break
		}
		return true
	})
	return found
}
