// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A candidate is a change that mends a finding if trying it says so.
type candidate struct {
	message string
	edits   []report.Edit
	behind  map[report.Edit]bool // edits that put something right behind a statement
	in      string               // the function that is changed, if it is not that of the finding
	extra   map[string]bool      // C functions that nothing else calls
}

// manyExits is from how many on one deferred function is better than a release
// before each.
const manyExits = 3

// candidates lists the changes worth trying for a verdict, the one that a
// maintainer would prefer first.
func (v *variant) candidates(verdict ownership.Verdict) []candidate {
	if verdict.Tier < report.Likely {
		return nil // something unknown touches it: no change is proved right
	}
	switch verdict.Kind {
	case ownership.OwnerLacks:
		return v.missingField(verdict)
	case ownership.Overwritten:
		return v.beforeOverwrite(verdict)
	case ownership.Evicted:
		return v.evicted(verdict)
	case ownership.CloseForgets:
		return v.forgotten(verdict)
	case ownership.CloseTwice:
		return v.clearAfter(verdict)
	case ownership.UsedAfter, ownership.Outlived:
		return v.usedAfter(verdict)
	case ownership.AsyncPending:
		return v.afterWait(verdict)
	case ownership.ReleasedTwice:
		return v.releasedTwice(verdict)
	case ownership.ReleasedBorrowed:
		return v.borrowed(verdict)
	case ownership.FinalThrows, ownership.FinalNever, ownership.FinalEarly, ownership.FinalArmed, ownership.FinalDead:
		return v.finalizers(verdict)
	case ownership.CloseSkips:
		return v.goesOn(verdict)
	case ownership.NeverZeroed, ownership.BackwardUnused, ownership.GraphKept:
		return v.gradients(verdict)
	case ownership.ParentFirst:
		return v.parentLast(verdict)
	case ownership.FlushedInLoop:
		return v.flushedBehind(verdict)
	}
	s := v.locate(verdict)
	if s == nil || verdict.Fate.Unsure {
		return nil // somebody else may own it on some path
	}
	if verdict.Fate.Cut && !s.onlyUsed() {
		return nil // what was not followed may release it or hand it on
	}
	switch verdict.Kind {
	case ownership.ErrorPath, ownership.NotReleased:
		if list := s.ranged(); list != nil {
			return list
		}
		if len(verdict.Fate.Exits) >= manyExits {
			return s.join(s.deferAtOnce, s.deferEarlier, s.onFailure, s.atExits, s.atTurns, s.listed)
		}
		return s.join(s.deferAtOnce, s.deferEarlier, s.atExits, s.onFailure, s.atTurns, s.listed)
	case ownership.EachTurn:
		return s.join(s.atTurns)
	case ownership.Discarded:
		return s.dropped()
	case ownership.DeferInLoop:
		return s.join(s.undeferred)
	case ownership.DeferEarly:
		return s.join(s.deferLater, s.deferLiteral)
	}
	return nil
}

// join asks the makers in turn, each for every way to write the release.
func (s *site) join(makers ...func(release) *candidate) []candidate {
	var list []candidate
	for _, r := range s.releases() {
		if r.fails && s.joinsErrors() {
			continue // here an error of a release is not dropped
		}
		for _, make := range makers {
			if c := make(r); c != nil {
				list = append(list, *c)
			}
		}
	}
	return list
}

// candidate ends the making of one.
func (s *site) candidate(e *editor, r release, message string) *candidate {
	c := &candidate{message: message}
	if r.c != "" {
		c.extra = map[string]bool{r.c: true}
	}
	if r.unsafe && !s.importsUnsafe() {
		s.importUnsafe(e)
	}
	if c.edits = e.done(); c.edits == nil {
		return nil
	}
	c.behind = e.behind
	return c
}

// joinsErrors reports whether the function collects errors, as errors.Join
// does. A release whose error it would drop is then not what it is after.
func (s *site) joinsErrors() bool {
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn := callee(s.v.info, call); fn != nil && fn.Pkg() != nil {
				switch fn.Pkg().Path() + "." + fn.Name() {
				case "errors.Join", "go.uber.org/multierr.Append", "go.uber.org/multierr.Combine", "github.com/hashicorp/go-multierror.Append":
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// name is the handle as text.
func (s *site) name() string { return nameText(s.handle) }

// local reports whether the handle is a variable of the function itself. One
// that begins with a parameter or a captured variable has an owner outside.
func (s *site) local() bool {
	root := rootOf(s.v.info, s.handle)
	v, ok := root.(*types.Var)
	if !ok || v.IsField() {
		return false
	}
	return s.body.Pos() <= v.Pos() && v.Pos() <= s.body.End()
}

// visibleAt reports whether the handle's name means the same at a position.
func (s *site) visibleAt(pos token.Pos) bool {
	root := rootOf(s.v.info, s.handle)
	if root == nil {
		return false
	}
	inner := s.v.pkg.Scope().Innermost(pos)
	if inner == nil {
		return false
	}
	_, obj := inner.LookupParent(root.Name(), pos)
	return obj == root
}

// outlives reports whether something that leads into the resource may be used
// after a release at the end of scope: the function, or one iteration.
func (s *site) outlives(scope ast.Node) bool {
	root := rootOf(s.v.info, s.handle)
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		if x == s.call {
			return true
		}
		id, ok := x.(*ast.Ident)
		return ok && root != nil && s.v.info.ObjectOf(id) == root
	}, 0)
	return d.escapes(s.body, scope)
}

// escapesBefore reports whether, by the time of a position, something outside the
// function or another goroutine can look into the resource.
func (s *site) escapesBefore(pos token.Pos) bool {
	root := rootOf(s.v.info, s.handle)
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return x == s.call || ok && s.v.info.ObjectOf(id) == root
	}, 0)
	return d.bound || d.leaks(s.body, s.body, pos, false)
}

// onlyUsed reports whether nothing in the function, whatever the path, can be the
// end of the resource or its way out: each mention of it is a call of a modelled
// library that does no more than use it, or a comparison.
func (s *site) onlyUsed() bool {
	root := rootOf(s.v.info, s.handle)
	if root == nil || !s.local() {
		return false
	}
	plain := map[*ast.Ident]bool{} // mentions that are understood
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, x := range []ast.Expr{n.X, n.Y} {
				if id, ok := ast.Unparen(x).(*ast.Ident); ok {
					plain[id] = true
				}
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && within(n, s.call) {
					plain[id] = true
				}
			}
		case *ast.CallExpr:
			fn := callee(s.v.info, n)
			if fn == nil || fn.Pkg() == nil {
				return true
			}
			if m := s.v.models().Func(fn); m != nil && !mereUse(m) || m == nil && !s.v.models().Package(fn.Pkg().Path()) {
				return true
			}
			for _, a := range n.Args {
				if id, ok := ast.Unparen(a).(*ast.Ident); ok {
					plain[id] = true
				}
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
					plain[id] = true
				}
			}
		}
		return true
	})
	only := true
	ast.Inspect(s.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && s.v.info.ObjectOf(id) == root && !plain[id] {
			only = false
		}
		return only
	})
	return only
}

// mereUse reports whether a model neither ends nor keeps anything.
func mereUse(m *rules.Func) bool {
	for _, e := range m.Effects {
		switch e.Op {
		case rules.OpRelease, rules.OpConsume, rules.OpKeep, rules.OpAdopt, rules.OpSweep, rules.OpCancel, rules.OpPin, rules.OpArena, rules.OpAlias:
			return false
		}
	}
	return true
}

// dependentDefer reports whether a deferred call between two positions uses the
// resource or what depends on it: it would run after a release in between.
func (s *site) dependentDefer(from, to token.Pos) bool {
	root := rootOf(s.v.info, s.handle)
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && s.v.info.ObjectOf(id) == root
	}, 0)
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			return false
		}
		if df, ok := n.(*ast.DeferStmt); ok && from <= df.Pos() && df.Pos() <= to {
			ast.Inspect(df.Call, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					obj := s.v.info.ObjectOf(id)
					found = found || obj != nil && (obj == root || d.vars[obj])
				}
				return !found
			})
		}
		return !found
	})
	return found
}
