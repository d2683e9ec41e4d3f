// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// A failure is a way out of a release method that leaves the rest behind.
type failure struct {
	test *ast.IfStmt
	ret  *ast.ReturnStmt
	call *ast.CallExpr // what has failed
}

// goesOn lets a release method that ends at the first failure release the rest:
//
//	if err := m.session.Close(); err != nil {
//		return err
//	}
//	return m.input.Close()           →  return errors.Join(m.session.Close(), m.input.Close())
//
// Where there is more to it, the errors are collected:
//
//	var errs []error                        // new
//	for _, b := range l.bufs {
//		if err := b.Free(); err != nil {
//			errs = append(errs, err)        // was: return err
//		}
//	}
//	return errors.Join(errs...)             // was: return nil
func (v *variant) goesOn(verdict ownership.Verdict) []candidate {
	decl := v.methodAt(verdict)
	if decl == nil || !v.hasJoin() || hasGoto(decl.Body) {
		return nil
	}
	results := decl.Type.Results
	if results == nil || len(results.List) != 1 || len(results.List[0].Names) > 0 || !isErrorType(v.info.TypeOf(results.List[0].Type)) {
		return nil
	}
	s := &site{
		v: v, src: v.file(decl.Pos()), verdict: verdict, body: decl.Body, decl: decl.Type,
		list: &stmtList{decl.Body, decl.Body.List, decl.Body.Rbrace},
	}
	list, final := s.failures()
	if list == nil {
		return nil
	}
	return append(s.joined(list, final), s.collected(list, final)...)
}

// hasJoin reports whether the package may call errors.Join.
func (v *variant) hasJoin() bool {
	at := v.pass.Pkg.GoVersion()
	return (at == "" || version.Compare(at, "go1.20") >= 0) &&
		slices.ContainsFunc(v.pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == "errors" })
}

// failures lists the ways out of the method behind a failing release, if they and
// its end are all that come behind the first of them.
func (s *site) failures() (list []failure, final *ast.ReturnStmt) {
	final, ok := s.body.List[len(s.body.List)-1].(*ast.ReturnStmt)
	if !ok || len(final.Results) != 1 {
		return nil, nil
	}
	if _, isCall := final.Results[0].(*ast.CallExpr); !isCall && !isNil(final.Results[0]) {
		return nil, nil // an error that came from somewhere
	}
	good := true
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if n == final {
				break
			}
			if f, ok := s.failureAt(n); ok {
				list = append(list, f)
			} else if len(list) > 0 {
				good = false // it would lose what was collected
			}
		case *ast.BranchStmt:
			good = good && len(list) == 0
		}
		return good
	})
	if !good {
		return nil, nil
	}
	return list, final
}

// failureAt matches the return of an error that a release has given:
//
//	if err := x.Close(); err != nil {
//		return err
//	}
func (s *site) failureAt(ret *ast.ReturnStmt) (failure, bool) {
	path := pathTo(s.body, func(n ast.Node) bool { return n == ast.Node(ret) })
	if len(path) < 3 || len(ret.Results) != 1 {
		return failure{}, false
	}
	test, ok := path[2].(*ast.IfStmt)
	if !ok || test.Else != nil || len(test.Body.List) != 1 || test.Body != path[1] {
		return failure{}, false // it does more on its way out
	}
	bin, ok := test.Cond.(*ast.BinaryExpr)
	if !ok || bin.Op != token.NEQ || !isNil(bin.Y) {
		return failure{}, false
	}
	id, ok := bin.X.(*ast.Ident)
	if !ok || !isErrorType(s.v.info.TypeOf(id)) || !mentions(s.v.info, ret, s.v.info.ObjectOf(id)) {
		return failure{}, false
	}
	as, ok := test.Init.(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
		return failure{}, false
	}
	call, ok := as.Rhs[0].(*ast.CallExpr)
	if left, isID := as.Lhs[0].(*ast.Ident); !ok || !isID || s.v.info.ObjectOf(left) != s.v.info.ObjectOf(id) {
		return failure{}, false
	}
	fn := callee(s.v.info, call)
	if ret.Pos() != s.verdict.Pos && (fn == nil || !s.releasing(fn) && !closers[fn.Name()]) {
		return failure{}, false // a question that is asked before
	}
	return failure{test, ret, call}, true
}

// joined makes one statement of several in a row.
func (s *site) joined(list []failure, final *ast.ReturnStmt) []candidate {
	stmts := s.list.stmts
	first := len(stmts) - 1 - len(list)
	if first < 0 {
		return nil
	}
	e := s.editor()
	start, end := e.offset(stmts[first].Pos()), e.offset(final.End())
	if bytes.Contains(s.src.text[start:end], []byte("//")) || bytes.Contains(s.src.text[start:end], []byte("/*")) {
		return nil // a comment that would go
	}
	var args []string
	for i, f := range list {
		if id, bare := f.ret.Results[0].(*ast.Ident); stmts[first+i] != ast.Stmt(f.test) || !bare || id.Name == "nil" || f.test.Init.(*ast.AssignStmt).Tok != token.DEFINE {
			return nil
		}
		args = append(args, e.source(f.call))
	}
	if more := s.errorsOf(e, final); more != "" {
		args = append(args, more)
	}
	if len(args) < 2 {
		return nil
	}
	qualifier, ok := s.importStd(e, "errors")
	if !ok {
		return nil
	}
	text := "return " + qualifier + ".Join(" + strings.Join(args, ", ") + ")"
	if len(text) > 100 || strings.Contains(text, "\n") {
		return nil
	}
	e.replace(&ast.BadStmt{From: stmts[first].Pos(), To: final.End()}, text)
	return s.plain(e, "go on when a release fails, and join the errors")
}

// collected makes the method go on and return all errors at its end.
func (s *site) collected(list []failure, final *ast.ReturnStmt) []candidate {
	errs := freshName(s.v, s.body, "errs")
	if errs == "" {
		return nil
	}
	e := s.editor()
	qualifier, ok := s.importStd(e, "errors")
	if !ok {
		return nil
	}
	for _, st := range s.list.stmts {
		if within(st, list[0].ret) {
			if e.explained(st) {
				return nil
			}
			e.before(st, "var "+errs+" []error")
		}
	}
	for _, f := range list {
		e.replace(f.ret, errs+" = append("+errs+", "+e.source(f.ret.Results[0])+")")
	}
	all := errs + "..."
	if more := s.errorsOf(e, final); more != "" {
		all = "append(" + errs + ", " + more + ")..."
	}
	e.replace(final, "return "+qualifier+".Join("+all+")")
	return s.plain(e, "go on when a release fails, and join the errors")
}

// errorsOf is what the last return of a method gives, as arguments for errors.Join.
func (s *site) errorsOf(e *editor, final *ast.ReturnStmt) string {
	x := final.Results[0]
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return "" // nil
	}
	if fn := callee(s.v.info, call); fn != nil && fn.FullName() == "errors.Join" && !call.Ellipsis.IsValid() && len(call.Args) > 0 {
		return e.source(&ast.BadExpr{From: call.Args[0].Pos(), To: call.Args[len(call.Args)-1].End()})
	}
	return e.source(x)
}
