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

// releasedTwice takes away one of two releases: the second of two in a row, one
// that a deferred call repeats at once, one behind a call that has taken the
// resource over.
//
//	buf.Free()
//	buf.Free()     // goes
//
// What only one path can show to be right, and no trial would see to be wrong,
// is left: a parameter that is no longer released has no finding.
func (v *variant) releasedTwice(verdict ownership.Verdict) []candidate {
	a := verdict.After
	if a == nil || a.Copied {
		return nil // through two copies: which one should live is not to be seen
	}
	second := v.siteAt(verdict, verdict.Pos)
	if second == nil {
		return nil
	}
	if a.Ended == verdict.Pos {
		if a.Late {
			return nil // one deferred call that runs in a loop
		}
		return second.behindLoop()
	}
	first := v.siteAt(verdict, a.Ended)
	if first == nil || first.body == nil {
		return nil
	}
	seen := verdict.Name == "" && verdict.Callee != "" // an acquisition: a leak would be found
	switch {
	case a.Taken:
		if !seen && v.canFail(first) {
			return nil // where that fails, this release is the only one
		}
		return second.drop("leave the release to " + a.By)
	case sameList(first, second) && !isDefer(first.anchor()) && !isDefer(second.anchor()):
		if first.index > second.index || second.leavesBetween(first.index, second.index-1) || first.betweenTouched(second) {
			return nil // another value by then, or used in between
		}
		return second.drop("keep the first of the two releases")
	case !seen:
		return nil
	case isDefer(second.anchor()) && !isDefer(first.anchor()) && first.atEnd():
		return first.drop("leave the release to the deferred call")
	case isDefer(second.anchor()):
		return second.drop("keep the first of the two releases")
	case isDefer(first.anchor()):
		return nil // the order is another one than it looks
	}
	list := first.drop("keep the second of the two releases")
	return append(list, second.drop("keep the first of the two releases")...)
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

// betweenTouched reports whether what a statement releases is mentioned between
// it and a later one of its list.
func (s *site) betweenTouched(to *site) bool {
	x := s.v.operand(plainCall(s.anchor()))
	if x == nil {
		return true
	}
	for _, st := range s.list.stmts[s.index+1 : to.index] {
		if s.v.touches(st, x, nil) || s.v.assigns(st, x) {
			return true
		}
	}
	return false
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
