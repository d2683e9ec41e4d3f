// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// parentLast releases a parent behind its children:
//
//	ctx.Close()                 buf.Free()
//	buf.Free()            →     ctx.Close()      // moved
//
//	defer buf.Free()            defer ctx.Close() // moved
//	defer ctx.Close()     →     defer buf.Free()
//
//	defer buf.Free()            defer ctx.Close() // moved, and deferred
//	use(buf)              →     defer buf.Free()
//	ctx.Close()                 use(buf)
func (v *variant) parentLast(verdict ownership.Verdict) []candidate {
	parent, child := v.siteAt(verdict, verdict.Pos), v.siteAt(verdict, verdict.OtherAt)
	if parent == nil || child == nil || parent.body != child.body || plainCall(parent.anchor()) == nil || !parent.removable() {
		return nil
	}
	// The child may be released in a block of its own: a loop over several.
	at := slices.IndexFunc(parent.list.stmts, func(st ast.Stmt) bool { return st.Pos() <= verdict.OtherAt && verdict.OtherAt < st.End() })
	if at < 0 || at == parent.index || !parent.movable() {
		return nil
	}
	st := parent.anchor()
	if at > parent.index {
		if isDefer(st) {
			return nil
		}
		return parent.behind(at)
	}
	if !isDefer(parent.list.stmts[at]) || parent.inLoop {
		return nil
	}
	e := parent.editor()
	if e.explained(st) || e.explained(parent.list.stmts[at]) {
		return nil
	}
	x := v.operand(plainCall(st))
	for _, between := range parent.list.stmts[at:parent.index] {
		if x != nil && (v.assigns(between, x) || v.handedWhole(between, x)) || !isDefer(st) && leaves(between) {
			return nil // not yet what it is, or closed there on the way out
		}
	}
	line := e.wholeLine(st)
	if !isDefer(st) {
		line = "defer " + line
	}
	e.before(parent.list.stmts[at], line)
	e.remove(st)
	return parent.plain(e, "release "+parent.what()+" last")
}

// behind moves a release behind a later statement of its list, or behind all that
// are left.
func (s *site) behind(at int) []candidate {
	stmts := s.list.stmts
	last := len(stmts) - 1
	if terminates(stmts[last]) {
		last--
	}
	var list []candidate
	for _, to := range slices.Compact([]int{at, last}) {
		e := s.editor()
		if to < at || s.leavesBetween(s.index, to) || e.explained(s.anchor()) {
			continue // a way out on which it would not be released
		}
		if x := s.v.operand(plainCall(s.anchor())); x != nil && slices.ContainsFunc(stmts[s.index+1:to+1], func(st ast.Stmt) bool { return s.v.assigns(st, x) || s.v.handedWhole(st, x) }) {
			continue // the name is another one's there
		}
		e.after(stmts[to], e.wholeLine(s.anchor()))
		e.remove(s.anchor())
		list = append(list, s.plain(e, "release "+s.what()+" last")...)
	}
	return list
}

// what is how the source calls what a statement releases.
func (s *site) what() string {
	if x := s.v.operand(plainCall(s.anchor())); x != nil {
		return nameText(x)
	}
	return "the parent"
}

// movable reports whether a release means the same a few statements away: it
// names what it releases, or nothing.
func (s *site) movable() bool {
	call := plainCall(s.anchor())
	if s.v.operand(call) != nil {
		return true
	}
	fn := callee(s.v.info, call)
	return fn != nil && fn.Signature().Recv() == nil && len(call.Args) == 0
}

// flushedBehind moves a flush of the allocator's cache out of the loops around it.
func (v *variant) flushedBehind(verdict ownership.Verdict) []candidate {
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil || verdict.Other != "" {
		return nil // in a function that may do more
	}
	if _, ok := s.anchor().(*ast.ExprStmt); !ok || !s.removable() {
		return nil
	}
	loop := v.loopOf(s)
	if loop == nil {
		return nil
	}
	for outer := v.loopOf(loop); outer != nil; outer = v.loopOf(loop) {
		loop = outer
	}
	e := s.editor()
	if loop.inLoop || e.explained(s.anchor()) || !s.constant(loop.anchor()) {
		return nil
	}
	e.after(loop.anchor(), e.wholeLine(s.anchor()))
	e.remove(s.anchor())
	return s.plain(e, "empty the cache behind the loop")
}

// constant reports whether the arguments of a call are the same before and after
// a statement.
func (s *site) constant(st ast.Stmt) bool {
	call := plainCall(s.anchor())
	if s.movable() {
		return true
	}
	return !slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		p := plainOperand(a)
		return s.v.info.Types[a].Value == nil && (p == nil || s.v.assigns(st, p))
	})
}
