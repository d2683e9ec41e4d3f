// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
)

// usedAfter releases behind the last use what is used after its release, or is
// looked into through a view:
//
//	buf.Free()                 n := buf.Len()
//	n := buf.Len()       →     buf.Free()       // moved
//
// Where the last use is the return itself, the release is deferred:
//
//	buf.Free()                 defer buf.Free() // new
//	return buf.Len()     →     return buf.Len()
func (v *variant) usedAfter(verdict ownership.Verdict) []candidate {
	a := verdict.After
	if a == nil || a.Taken {
		return nil // somebody else's by then: which of the two is wrong is not to be seen
	}
	if list := v.copied(verdict); list != nil {
		return list
	}
	if a.Deferred {
		return v.handsOut(verdict)
	}
	s, use := v.siteAt(verdict, a.Ended), v.siteAt(verdict, verdict.Pos)
	if s == nil || use == nil || s.body != use.body || isDefer(s.anchor()) {
		return nil
	}
	if verdict.Pos < a.Ended && s.inLoop && within(s.list.node, use.anchor()) {
		return s.behindLoop() // by another iteration
	}
	last := s.reaches(verdict)
	if last < 0 {
		return nil
	}
	return s.later(last)
}

// reaches is the last statement behind a release, in the same list, that uses
// what was released or a view of it; the one that the verdict is about is no
// later. It returns -1 if there is none, or if another value takes its name.
func (s *site) reaches(verdict ownership.Verdict) int {
	call := plainCall(s.anchor())
	s.handle = s.v.operand(call)
	if s.handle == nil {
		return -1
	}
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool {
		return plainOperand(x) != nil && sameName(s.v.info, x, s.handle)
	}, 0)
	delete(d.vars, rootOf(s.v.info, s.handle)) // compared by its whole name
	last, seen := -1, false
	for i := s.index + 1; i < len(s.list.stmts); i++ {
		st := s.list.stmts[i]
		if s.v.touches(st, s.handle, d.vars) {
			last = i
		}
		seen = seen || st.Pos() <= verdict.Pos && verdict.Pos < st.End()
	}
	if last < 0 || !seen {
		return -1 // the use is elsewhere
	}
	for _, st := range s.list.stmts[s.index+1 : last+1] {
		if s.v.assigns(st, s.handle) || s.v.handedWhole(st, s.handle) {
			return -1 // the name may be another one's there
		}
		if s.v.aside(st, s.handle, d.vars) {
			return -1 // when that is done is not to be seen
		}
	}
	return last
}

// later makes the candidates that move a release behind a statement of its list,
// or defer it.
func (s *site) later(last int) []candidate {
	var list []candidate
	st := s.anchor()
	name := nameText(s.handle)
	if s.editor().explained(st) {
		return nil // by what would not be so any more
	}
	if e := s.editor(); !s.leavesBetween(s.index, last) {
		e.after(s.list.stmts[last], e.wholeLine(st))
		e.remove(st)
		list = append(list, s.plain(e, "release "+name+" after its last use")...)
	}
	if x, ok := st.(*ast.ExprStmt); ok && !s.inLoop {
		e := s.editor()
		e.replace(st, "defer "+e.source(x))
		list = append(list, s.plain(e, "defer the release of "+name+" until the function is done with it")...)
	}
	return list
}

// handsOut takes away a deferred release of what the function returns:
//
//	out := NewMat()
//	defer out.Close()     // goes
//	return out
func (v *variant) handsOut(verdict ownership.Verdict) []candidate {
	a := verdict.After
	if verdict.Kind != ownership.UsedAfter || a.Touch != "return" || verdict.Acquired == 0 || verdict.Name != "" {
		return nil // a view of it, or somebody else's
	}
	ret, s := v.siteAt(verdict, verdict.Pos), v.siteAt(verdict, a.Ended)
	if ret == nil || s == nil || ret.body != s.body || !isDefer(s.anchor()) || !s.removable() {
		return nil
	}
	s.handle = v.operand(plainCall(s.anchor()))
	if s.handle == nil || !s.local() {
		return nil
	}
	if r, ok := ret.anchor().(*ast.ReturnStmt); !ok || !returnsIt(v.info, r, s.handle) {
		return nil // inside something else: whose that is is for its author to say
	}
	e := s.editor()
	if e.explained(s.anchor()) {
		return nil
	}
	e.remove(s.anchor())
	return s.plain(e, "leave the release of "+nameText(s.handle)+" to the caller")
}

func returnsIt(info *types.Info, ret *ast.ReturnStmt, x ast.Expr) bool {
	for _, r := range ret.Results {
		if plainOperand(r) != nil && sameName(info, r, x) {
			return true
		}
	}
	return false
}

// afterWait moves a release behind the wait for the operation that still uses
// what it releases, if there is one, or defers it.
//
//	src.Free()                 defer src.Free() // new
//	return s.Wait()      →     return s.Wait()
func (v *variant) afterWait(verdict ownership.Verdict) []candidate {
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil || isDefer(s.anchor()) {
		return nil // runs last already: nobody waits
	}
	s.handle = v.operand(plainCall(s.anchor()))
	if s.handle == nil {
		return nil
	}
	for i := s.index + 1; i < len(s.list.stmts); i++ {
		st := s.list.stmts[i]
		if v.assigns(st, s.handle) {
			return nil
		}
		if v.waits(st) {
			return s.later(i)
		}
	}
	return nil
}

// waits reports whether a statement calls what waits for operations to end.
func (v *variant) waits(st ast.Node) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if fn := callee(v.info, call); fn != nil {
			if m := v.models().Func(fn); m != nil {
				for _, e := range m.Effects {
					found = found || e.Op == rules.OpSync
				}
			}
		}
		return !found
	})
	return found
}
