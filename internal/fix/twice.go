// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// releasedTwice takes away one of two releases, where the other is made on every
// path that this one is on:
//
//	buf.Free()
//	buf.Free()         // goes
//
//	defer buf.Free()
//	...
//	buf.Free()         // goes
//	return nil
//
// That is read off the code, and not left to a trial: of a parameter or a field
// that nobody releases any more there is no finding.
func (v *variant) releasedTwice(verdict ownership.Verdict) []candidate {
	a := verdict.After
	if a == nil || a.Copied {
		return nil // through two copies: which one should live is not to be seen
	}
	second := v.siteAt(verdict, verdict.Pos)
	if second == nil || a.Ended == verdict.Pos && a.Late {
		return nil // one deferred call that runs in a loop
	}
	if a.Ended == verdict.Pos {
		return second.behindLoop()
	}
	first := v.siteAt(verdict, a.Ended)
	if first == nil || plainCall(first.anchor()) == nil && !a.Taken {
		return nil
	}
	keepFirst, keepSecond := "keep the first of the two releases", "keep the second of the two releases"
	if a.Taken {
		if v.canFail(first) {
			return nil // where that fails, this release is the only one
		}
		keepFirst = "leave the release to " + a.By
	}
	switch late, early := isDefer(second.anchor()), isDefer(first.anchor()); {
	case early:
		return nil // the order is another one than it looks
	case late && sameList(first, second) && second.index < first.index && !second.leavesBetween(second.index, first.index-1):
		if !a.Taken && first.atEnd() {
			return first.drop("leave the release to the deferred call")
		}
		return second.drop(keepFirst)
	case late && !a.Taken && first.body == second.body && second.anchor().Pos() < first.anchor().Pos() && within(second.list.node, first.anchor()) && first.atEnd():
		return first.drop("leave the release to the deferred call")
	case late:
		return nil
	case first.leadsTo(second):
		return second.drop(keepFirst)
	case !a.Taken && (second.follows(first) || first.onFailureOf(second)):
		return first.drop(keepSecond)
	}
	return nil
}

// canFail reports whether the call in a statement can tell that it has failed.
func (v *variant) canFail(s *site) bool {
	can := false
	ast.Inspect(s.anchor(), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn := callee(v.info, call); fn == nil || fn.Signature().Results().Len() > 0 {
				can = true
			}
		}
		return !can
	})
	return can
}

// leadsTo reports whether a statement runs before each run of another one, which
// stands behind it in its list at any depth, and nothing happens to what it
// releases in between.
func (s *site) leadsTo(to *site) bool {
	at := s.around(to)
	if at <= s.index || s.body != to.body {
		return false
	}
	last := at - 1
	if to.list.node != s.list.node {
		last = at // somewhere in it, before
	}
	return !disturbed(to, s.list.stmts[s.index+1:last+1])
}

// around is the index in a statement's list of the statement that another one is
// in, or -1.
func (s *site) around(to *site) int {
	return slices.IndexFunc(s.list.stmts, func(st ast.Stmt) bool { return within(st, to.anchor()) })
}

// disturbed reports whether one of some statements gives another value to what a
// release names, or may.
func disturbed(s *site, stmts []ast.Stmt) bool {
	x := s.v.operand(plainCall(s.anchor()))
	return x == nil || slices.ContainsFunc(stmts, func(st ast.Stmt) bool { return s.v.assigns(st, x) || s.v.handedWhole(st, x) })
}

// follows reports whether a statement is reached from each end of an earlier one,
// which is in a branch of a statement of its list.
func (s *site) follows(first *site) bool {
	at := s.around(first)
	if at < 0 || at >= s.index || s.body != first.body || first.inLoop && !s.inLoop {
		return false
	}
	out := false
	ast.Inspect(s.list.stmts[at], func(n ast.Node) bool {
		if n != nil && n.Pos() > first.anchor().Pos() {
			switch n.(type) {
			case *ast.ReturnStmt, *ast.BranchStmt:
				out = true
			}
		}
		return !out
	})
	return !out && !s.leavesBetween(at, s.index-1) && !disturbed(s, s.list.stmts[at:s.index])
}

// onFailureOf reports whether a release stands before a return, and a deferred
// literal releases again under the condition that it stands under:
//
//	defer func() {
//		if err != nil {
//			buf.Free()
//		}
//	}()
//	if err = step(); err != nil {
//		buf.Free()        // goes
//		return err
//	}
func (s *site) onFailureOf(later *site) bool {
	mine, its := s.condition(), later.condition()
	if mine == "" || mine != its || !s.atEnd() || s.body == later.body {
		return false
	}
	path := pathTo(s.src.syntax, func(n ast.Node) bool { return n == ast.Node(later.body) })
	if len(path) < 4 {
		return false
	}
	d, ok := path[3].(*ast.DeferStmt) // body, literal, call, defer
	return ok && len(later.body.List) == 1 && d.Pos() < s.anchor().Pos()
}

// condition is the one under which a statement runs, if that is all: an if
// without else whose body it is in.
func (s *site) condition() string {
	path := pathTo(s.src.syntax, func(n ast.Node) bool { return n == s.list.node })
	if len(path) < 2 {
		return ""
	}
	st, ok := path[1].(*ast.IfStmt)
	if !ok || st.Body != path[0] {
		return ""
	}
	return s.editor().source(st.Cond)
}

// atEnd reports whether nothing but a plain return follows a statement, so that
// a deferred call runs as soon as it would.
func (s *site) atEnd() bool {
	rest := s.list.stmts[s.index+1:]
	if len(rest) == 0 {
		return s.list.node == ast.Node(s.body)
	}
	ret, ok := rest[0].(*ast.ReturnStmt)
	return ok && !hasCall(ret)
}

// drop takes a statement away that does nothing but release.
func (s *site) drop(message string) []candidate {
	e := s.editor()
	call := plainCall(s.anchor())
	if call == nil || !s.removable() || e.explained(s.anchor()) {
		return nil
	}
	if s.v.operand(call) == nil || !s.v.onlyReleases(call) {
		return nil // a func literal, or more than a release
	}
	for _, a := range call.Args {
		if hasCall(a) {
			return nil
		}
	}
	e.remove(s.anchor())
	return s.plain(e, message)
}

// onlyReleases reports whether nothing is lost with a call but a release: a
// library's own, or that of a function which consists of it.
func (v *variant) onlyReleases(call *ast.CallExpr) bool {
	fn := callee(v.info, call)
	if fn == nil {
		return false
	}
	if m := v.models().Func(fn); m != nil {
		return slices.ContainsFunc(m.Effects, func(e rules.Effect) bool { return e.Op == rules.OpRelease || e.Op == rules.OpConsume })
	}
	decl := v.declOf(fn)
	return decl != nil && decl.Body != nil && len(decl.Body.List) == 1 && plainCall(decl.Body.List[0]) != nil && v.onlyReleases(plainCall(decl.Body.List[0]))
}

// borrowed takes away the release of what belongs to somebody else.
func (v *variant) borrowed(verdict ownership.Verdict) []candidate {
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil || verdict.Tier < report.Definite {
		return nil
	}
	return s.drop("leave the release to the owner")
}

// behindLoop moves a release that each iteration repeats behind the loop.
func (s *site) behindLoop() []candidate {
	call := plainCall(s.anchor())
	s.handle = s.v.operand(call)
	if s.handle == nil || isDefer(s.anchor()) || !s.removable() || leaves(s.list.node) {
		return nil // a way out of the loop would do without it
	}
	loop := s.v.loopOf(s)
	if loop == nil || loop.handleInside(s.handle) {
		return nil
	}
	e := s.editor()
	if e.explained(s.anchor()) {
		return nil
	}
	e.after(loop.anchor(), e.wholeLine(s.anchor()))
	e.remove(s.anchor())
	return s.plain(e, "release "+nameText(s.handle)+" once, behind the loop")
}

// loopOf is the loop whose body a statement stands in directly.
func (v *variant) loopOf(s *site) *site {
	path := pathTo(s.src.syntax, func(n ast.Node) bool { return n == s.list.node })
	if len(path) < 2 {
		return nil
	}
	switch path[1].(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		return nil
	}
	loop := v.siteAt(s.verdict, path[1].Pos())
	if loop == nil || loop.body != s.body || ast.Node(loop.anchor()) != path[1] {
		return nil // with a label
	}
	if f, ok := path[1].(*ast.ForStmt); ok && f.Cond == nil {
		return nil // nothing comes behind it
	}
	return loop
}

// handleInside reports whether an operand is a variable of the statement itself.
func (s *site) handleInside(x ast.Expr) bool {
	root := rootOf(s.v.info, x)
	return root == nil || s.anchor().Pos() <= root.Pos() && root.Pos() < s.anchor().End()
}
