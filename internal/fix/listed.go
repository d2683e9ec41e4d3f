// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// listed releases what earlier iterations have put into a list, before each
// return that loses it:
//
//	for i := range n {
//		t, err := New()
//		if err != nil {
//			for _, out := range outs {     // new
//				out.Destroy()          // new
//			}                              // new
//			return err
//		}
//		outs = append(outs, t)
//	}
//
// Where the resource of the same iteration is not in the list yet, it is released
// with them.
func (s *site) listed(r release) *candidate {
	f := s.verdict.Fate
	if !s.inLoop || s.handle == nil || s.ready < 0 || !s.local() || s.cleanup || r.elems || len(f.Exits) == 0 || f.Turns || hasGoto(s.body) {
		return nil
	}
	if f.Ended > 0 && s.handedOver(f.Exits[len(f.Exits)-1].Pos) {
		return nil // the callee may have ended it on some of its paths
	}
	put, list, index := s.puts()
	if list == nil {
		return nil
	}
	each, ok := s.ofElements(r, list)
	if !ok {
		return nil
	}
	if f.Exits[len(f.Exits)-1].Pos != s.body.Rbrace && s.escapesBefore(f.Exits[len(f.Exits)-1].Pos) {
		return nil // somebody else looks at it by then
	}
	loop := s.loopNode()
	e := s.editor()
	for _, x := range f.Exits {
		ret := s.returnAt(x.Pos)
		if ret == nil || s.dependentDefer(s.call.Pos(), x.Pos) || s.v.touches(ret, list, nil) || s.usedIn(ret) {
			return nil
		}
		all := nameText(list)
		if within(loop, ret) {
			at := -1
			for i, st := range s.list.stmts {
				if within(st, ret) {
					at = i
				}
			}
			switch {
			case at < 0 || at == put:
				return nil // before the iteration, or in another loop
			case at > s.ready && at < put:
				if !s.visibleAt(ret.Pos()) {
					return nil
				}
				if !s.releasedBefore(r, ret.Pos()) {
					e.before(ret, r.statement(s.name())...)
				}
			}
			if index != "" {
				all += "[:" + index
				if at > put {
					all += "+1"
				}
				all += "]"
			}
		}
		name := elemName(nameText(list))
		e.before(ret, "for _, "+name+" := range "+all+" {", "\t"+each.write(name), "}")
	}
	return s.candidate(e, r, "call "+r.verb+" on all of "+nameText(list)+" before the returns that would lose them")
}

// loopNode is the innermost loop around the acquisition.
func (s *site) loopNode() ast.Node {
	for _, n := range s.path {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n
		}
	}
	return s.body
}

// puts finds the statement of the iteration that puts the resource into a local
// slice or map, that, and the index in a slice that has its length already.
func (s *site) puts() (at int, list ast.Expr, index string) {
	for i := s.ready + 1; i < len(s.list.stmts); i++ {
		as, ok := s.list.stmts[i].(*ast.AssignStmt)
		if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || as.Tok != token.ASSIGN {
			continue
		}
		if ix, ok := as.Lhs[0].(*ast.IndexExpr); ok && s.isHandle(as.Rhs[0]) && s.fromOutside(ix.X) {
			if _, isMap := s.v.info.TypeOf(ix.X).Underlying().(*types.Map); isMap {
				return i, plainOperand(ix.X), ""
			}
			if id, ok := ix.Index.(*ast.Ident); ok && s.counts(id) && !s.skips() {
				return i, plainOperand(ix.X), id.Name
			}
			return 0, nil, ""
		}
		call, ok := as.Rhs[0].(*ast.CallExpr)
		if !ok || len(call.Args) != 2 || call.Ellipsis.IsValid() || !s.isHandle(call.Args[1]) {
			continue
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "append" && s.v.info.Types[id].IsBuiltin() &&
			s.fromOutside(as.Lhs[0]) && sameName(s.v.info, plainOrBad(call.Args[0]), as.Lhs[0]) {
			return i, plainOperand(as.Lhs[0]), ""
		}
	}
	return 0, nil, ""
}

func (s *site) isHandle(x ast.Expr) bool {
	return plainOperand(x) != nil && sameName(s.v.info, x, s.handle)
}

// fromOutside reports whether a list is a variable of the function from before
// the loop.
func (s *site) fromOutside(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false // a field: what it holds besides is not to be seen
	}
	v, ok := s.v.info.ObjectOf(id).(*types.Var)
	return ok && s.body.Pos() <= v.Pos() && v.Pos() < s.loopNode().Pos()
}

// ofElements is the release of a list's elements, which may be of an interface
// that has it.
func (s *site) ofElements(r release, list ast.Expr) (release, bool) {
	var elem types.Type
	switch t := s.v.info.TypeOf(list).Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Map:
		elem = t.Elem()
	default:
		return r, false
	}
	if types.Identical(elem, s.v.info.TypeOf(s.handle)) {
		return r, true
	}
	for _, other := range s.releasesOf(elem, s.verdict.Class) {
		if other.verb == r.verb {
			return other, true
		}
	}
	return r, false
}

// skips reports whether an iteration may end early, which would leave a place in
// the list empty.
func (s *site) skips() bool {
	found := false
	ast.Inspect(s.loopNode(), func(n ast.Node) bool {
		if _, ok := n.(*ast.BranchStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

// counts reports whether a variable counts the iterations of the loop from zero.
func (s *site) counts(id *ast.Ident) bool {
	obj := s.v.info.ObjectOf(id)
	switch loop := s.loopNode().(type) {
	case *ast.RangeStmt:
		key, ok := loop.Key.(*ast.Ident)
		if !ok || s.v.info.ObjectOf(key) != obj {
			return false
		}
		switch t := s.v.info.TypeOf(loop.X).Underlying().(type) {
		case *types.Slice, *types.Array:
			return true
		case *types.Basic:
			return t.Info()&types.IsInteger != 0
		}
	case *ast.ForStmt:
		as, ok := loop.Init.(*ast.AssignStmt)
		if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || !s.isZero(as.Rhs[0]) {
			return false
		}
		inc, ok := loop.Post.(*ast.IncDecStmt)
		first, isID := as.Lhs[0].(*ast.Ident)
		return ok && isID && inc.Tok == token.INC && s.v.info.ObjectOf(first) == obj && rootOf(s.v.info, inc.X) == obj && !s.v.assigns(loop.Body, id)
	}
	return false
}
