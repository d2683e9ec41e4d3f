// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A site is an acquisition as it stands in the source.
type site struct {
	v       *variant
	src     *source
	verdict ownership.Verdict
	call    *ast.CallExpr
	path    []ast.Node // from call outwards
	list    *stmtList  // the innermost list of statements around it
	index   int        // the statement in it that has the call
	body    *ast.BlockStmt
	decl    *ast.FuncType // of the function or literal whose body that is
	inLoop  bool          // list is inside a loop of the same function
	handle  ast.Expr      // what names the resource afterwards, or nil
	cleanup bool          // handle is the func that releases it
	ready   int           // the last statement in list before the acquisition is known to have succeeded
}

// A stmtList is the body of a block or of a case.
type stmtList struct {
	node  ast.Node
	stmts []ast.Stmt
	end   token.Pos // the closing brace, or the next case
}

// locate finds a verdict's acquisition. It returns nil for a shape that no fix
// is made for.
func (v *variant) locate(verdict ownership.Verdict) *site {
	src := v.file(verdict.Acquired)
	if src == nil || src.text == nil || verdict.Fate == nil {
		return nil // not in a file that somebody wrote, or on nobody's account
	}
	s := &site{v: v, src: src, verdict: verdict}
	if !s.findCall() {
		return nil
	}
	s.surround()
	if s.list == nil || s.body == nil {
		return nil // a package variable's initialiser
	}
	s.handle = s.findHandle()
	s.ready = s.findReady()
	return s
}

// findCall finds the call whose function operand begins at the position that
// the engine reports. f(x)(y) begins where f(x) does: the inner one has made
// the resource only if it is the engine's own.
func (s *site) findCall() bool {
	want := s.verdict.Fate.Call
	s.path = pathTo(s.src.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && call.Fun.Pos() == s.verdict.Acquired && call.Lparen == want.Pos()
	})
	if s.path == nil {
		return false
	}
	s.call = s.path[0].(*ast.CallExpr)
	return true
}

// surround finds the statement, its list and the function around the call.
func (s *site) surround() {
	var inner ast.Node = s.call
	for _, n := range s.path[1:] {
		if s.list == nil {
			if l := listOf(n, inner); l != nil {
				for i, st := range l.stmts {
					if st == inner {
						s.list, s.index = l, i
					}
				}
			}
		}
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			s.inLoop = s.inLoop || s.list != nil
		case *ast.FuncLit:
			s.body, s.decl = n.Body, n.Type
			return
		case *ast.FuncDecl:
			s.body, s.decl = n.Body, n.Type
			return
		}
		inner = n
	}
}

// listOf is the list of statements that n holds, if inner is one of them.
func listOf(n, inner ast.Node) *stmtList {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return &stmtList{n, n.List, n.Rbrace}
	case *ast.CaseClause:
		return &stmtList{n, n.Body, n.End()}
	case *ast.CommClause:
		if n.Comm == inner {
			return nil
		}
		return &stmtList{n, n.Body, n.End()}
	}
	return nil
}

// anchor is the statement with the call.
func (s *site) anchor() ast.Stmt { return s.list.stmts[s.index] }

// findHandle finds the variable or field that holds the resource:
//
//	x, err := New()       x
//	C.cudaMalloc(&p, n)   p
//	d.Load(path)          d, if the resource is in what d points at
func (s *site) findHandle() ast.Expr {
	f := s.verdict.Fate
	if f.Param >= 0 {
		args := s.call.Args
		i := f.Param
		if sel, ok := ast.Unparen(s.call.Fun).(*ast.SelectorExpr); ok && s.v.info.Selections[sel] != nil {
			if i == 0 {
				return plainOperand(sel.X)
			}
			i--
		}
		if i >= len(args) {
			return nil
		}
		return outParameter(args[i])
	}
	if f.Result < 0 {
		return nil // nothing has it
	}
	lhs := s.lhs()
	i := f.Result
	if f.Cleanup >= 0 && f.Cleanup < len(lhs) && !f.IsFunc && !isBlank(lhs[f.Cleanup]) {
		i, s.cleanup = f.Cleanup, true
	}
	if i >= len(lhs) {
		return nil
	}
	return plainOperand(lhs[i])
}

// lhs is what the call's results are assigned to.
func (s *site) lhs() []ast.Expr {
	for _, n := range s.path[1:] {
		switch n := n.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 {
				return n.Lhs
			}
			for i, r := range n.Rhs {
				if ast.Unparen(r) == s.call && len(n.Lhs) == len(n.Rhs) {
					return n.Lhs[i : i+1]
				}
			}
		case *ast.ValueSpec:
			var list []ast.Expr
			for i, id := range n.Names {
				if len(n.Values) == 1 || i < len(n.Values) && ast.Unparen(n.Values[i]) == s.call {
					list = append(list, id)
				}
			}
			return list
		}
		return nil
	}
	return nil
}

// plainOperand accepts x and x.f.g, which can be written down again anywhere
// without calling or indexing anything.
func plainOperand(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	switch y := x.(type) {
	case *ast.Ident:
		if y.Name == "_" {
			return nil
		}
		return y
	case *ast.SelectorExpr:
		if plainOperand(y.X) != nil {
			return y
		}
	}
	return nil
}

// outParameter takes conversions and the & off an argument:
//
//	(*unsafe.Pointer)(unsafe.Pointer(&p))   p
func outParameter(x ast.Expr) ast.Expr {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.UnaryExpr:
			if y.Op != token.AND {
				return nil
			}
			return plainOperand(y.X)
		case *ast.CallExpr:
			if len(y.Args) != 1 {
				return nil
			}
			x = y.Args[0] // a conversion: a call would not hand on an address
		default:
			return plainOperand(x)
		}
	}
}

// findReady finds the statement after which the acquisition is known to have
// succeeded: the check of its error, or the call itself if it cannot fail or
// nobody asks. It returns -1 if that cannot be told.
func (s *site) findReady() int {
	switch st := s.anchor().(type) {
	case *ast.IfStmt:
		// if err := New(&p); err != nil { return err }
		if st.Else == nil && ends(st.Body) && (within(st.Init, s.call) || within(st.Cond, s.call)) && s.isCheck(st.Cond) {
			return s.index
		}
		return -1
	case *ast.AssignStmt, *ast.DeclStmt, *ast.ExprStmt:
	default:
		return -1
	}
	for i := s.index + 1; i < len(s.list.stmts); i++ {
		switch st := s.list.stmts[i].(type) {
		case *ast.IfStmt:
			if st.Init == nil && st.Else == nil && ends(st.Body) && s.isCheck(st.Cond) {
				return i
			}
		case *ast.ExprStmt:
			if s.isRequire(st.X) {
				return i
			}
		}
		if s.mayFail() && i > s.index+3 {
			break // a check this far away is of something else
		}
		if leaves(s.list.stmts[i]) && s.mayFail() {
			return -1
		}
	}
	if s.mayFail() {
		return -1
	}
	return s.index
}

// mayFail reports whether the call can come back without the resource, as far
// as its signature and the code around it tell.
func (s *site) mayFail() bool {
	f := s.verdict.Fate
	if f.When.Kind == rules.CondAlways {
		return false
	}
	sig := f.Call.Call.Signature()
	for i := 0; i < sig.Results().Len(); i++ {
		t := sig.Results().At(i).Type()
		if isErrorType(t) || f.Param >= 0 && isStatusType(t) || f.When.Kind == rules.CondResult {
			return true
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool && i != f.Result {
			return true
		}
	}
	// Who compares the handle with nil reckons with it.
	return f.Result >= 0 && s.comparedWithNil()
}

// comparedWithNil reports whether the function asks if the handle is nil.
func (s *site) comparedWithNil() bool {
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		if bin, ok := n.(*ast.BinaryExpr); ok && (bin.Op == token.EQL || bin.Op == token.NEQ) {
			found = found || isNil(bin.Y) && s.sameAsHandle(bin.X) || isNil(bin.X) && s.sameAsHandle(bin.Y)
		}
		return !found
	})
	return found
}

// isCheck reports whether a condition is true exactly if the acquisition has
// failed: err != nil, status != C.SUCCESS, h == nil, !ok.
func (s *site) isCheck(cond ast.Expr) bool {
	switch c := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		return c.Op == token.NOT && s.isResult(c.X, func(t types.Type) bool { return isBool(t) })
	case *ast.BinaryExpr:
		switch c.Op {
		case token.NEQ:
			if isNil(c.Y) {
				return s.isResult(c.X, isErrorType)
			}
			return s.isConstant(c.Y) && s.isResult(c.X, isStatusType) || s.isConstant(c.X) && s.isResult(c.Y, isStatusType)
		case token.EQL:
			return isNil(c.Y) && s.sameAsHandle(c.X) || s.isZero(c.Y) && s.sameAsHandle(c.X)
		}
	}
	return false
}

func (s *site) isConstant(x ast.Expr) bool {
	tv, ok := s.v.info.Types[x]
	return ok && tv.Value != nil
}

func (s *site) isZero(x ast.Expr) bool {
	tv, ok := s.v.info.Types[x]
	return ok && tv.Value != nil && tv.Value.String() == "0"
}

// isResult reports whether x is the call, or a variable that got one of its
// results, and of a type that passes.
func (s *site) isResult(x ast.Expr, pass func(types.Type) bool) bool {
	x = ast.Unparen(x)
	for {
		conv, ok := x.(*ast.CallExpr)
		if !ok || conv == s.call || len(conv.Args) != 1 || !s.v.info.Types[conv.Fun].IsType() {
			break
		}
		x = ast.Unparen(conv.Args[0])
	}
	if !pass(s.v.info.TypeOf(x)) {
		return false
	}
	if x == s.call {
		return true
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	obj := s.v.info.ObjectOf(id)
	for _, l := range s.lhs() {
		if lid, ok := ast.Unparen(l).(*ast.Ident); ok && obj != nil && s.v.info.ObjectOf(lid) == obj {
			return true
		}
	}
	return false
}

// isRequire matches require.NoError(t, err) and must-like helpers of the sort
// that end the test.
func (s *site) isRequire(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "NoError" && sel.Sel.Name != "NoErrorf" {
		return false
	}
	fn, _ := s.v.info.Uses[sel.Sel].(*types.Func)
	return fn != nil && fn.Pkg() != nil && strings.HasSuffix(fn.Pkg().Path(), "/require") && s.isResult(call.Args[1], isErrorType)
}

// sameAsHandle reports whether x names what the handle names.
func (s *site) sameAsHandle(x ast.Expr) bool {
	return s.handle != nil && sameName(s.v.info, ast.Unparen(x), s.handle)
}
