// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// onFailure defers a release that looks at the function's error. It is right
// where success hands the resource on and every failure loses it:
//
//	func Load(path string) (_ *Model, err error) {
//		s, err := NewSession(path)
//		if err != nil {
//			return nil, err
//		}
//		defer func() {           // new
//			if err != nil {
//				s.Destroy()
//			}
//		}()
//
// The error has to be a named result: a return sets it before deferred calls
// run, whatever variable it takes the value from.
func (s *site) onFailure(r release) *candidate {
	f := s.verdict.Fate
	switch {
	case f.Ended > 0 || f.Kept == 0 || f.Turns || s.inLoop:
		return nil // some path releases already, or none hands it on
	case s.handle == nil || s.ready < 0 || !s.local():
		return nil
	}
	for _, x := range f.Exits {
		if !x.Fail || x.Ok {
			return nil // lost without an error, too
		}
	}
	if s.escapesBefore(f.Exits[len(f.Exits)-1].Pos) {
		return nil // somebody else looks at it by then
	}
	if s.decl.Results == nil || len(s.decl.Results.List) == 0 {
		return nil
	}
	results := s.decl.Results.List
	last := results[len(results)-1]
	if !isErrorType(s.v.info.TypeOf(last.Type)) {
		return nil
	}
	e := s.editor()
	name := "err"
	if len(last.Names) > 0 {
		name = last.Names[len(last.Names)-1].Name
		if name == "_" {
			return nil
		}
	} else if !s.nameResults(e) {
		return nil
	}
	if !s.seesResult(name, last) {
		return nil // the name means something else where it is needed
	}
	lines := []string{"defer func() {", "\tif " + name + " != nil {"}
	for _, l := range r.statement(s.name()) {
		lines = append(lines, "\t\t"+l)
	}
	e.after(s.list.stmts[s.ready], append(lines, "\t}", "}()")...)
	return s.candidate(e, r, "call "+r.verb+" on "+s.name()+" when the function fails")
}

// nameResults gives names to results that have none: the error becomes err.
func (s *site) nameResults(e *editor) bool {
	if paramNamed(s.decl, "err") {
		return false
	}
	results := s.decl.Results
	for i, f := range results.List {
		name := "_ "
		if i == len(results.List)-1 {
			name = "err "
		}
		if !results.Opening.IsValid() {
			e.replace(f.Type, "(err "+e.source(f.Type)+")")
			continue
		}
		e.replace(f.Type, name+e.source(f.Type))
	}
	// err := f() on the function's own level now has nothing new on its left.
	for _, st := range s.body.List {
		as, ok := st.(*ast.AssignStmt)
		if !ok || as.Tok != token.DEFINE {
			continue
		}
		fresh, takes := false, false
		for _, l := range as.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || id.Name == "_" {
				continue
			}
			if id.Name == "err" {
				takes = true
			} else if s.v.info.Defs[id] != nil {
				fresh = true
			}
		}
		if takes && !fresh {
			e.replace(&ast.BadExpr{From: as.TokPos, To: as.TokPos + 2}, "=")
		}
	}
	return true
}

func paramNamed(fn *ast.FuncType, name string) bool {
	for _, f := range fn.Params.List {
		for _, id := range f.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

// seesResult reports whether the error's name, behind the check, is that of the
// result or of a variable on the function's own level, which is the same.
func (s *site) seesResult(name string, last *ast.Field) bool {
	at := s.list.stmts[s.ready].End()
	inner := s.v.pkg.Scope().Innermost(at)
	if inner == nil {
		return false
	}
	_, obj := inner.LookupParent(name, at)
	if len(last.Names) > 0 {
		return obj != nil && obj == s.v.info.Defs[last.Names[len(last.Names)-1]]
	}
	if obj == nil || obj.Pkg() != s.v.pkg || obj.Parent() == s.v.pkg.Scope() {
		return true // nothing of that name yet in the function
	}
	v, ok := obj.(*types.Var)
	return ok && obj.Parent() == s.v.info.Scopes[s.decl] && isErrorType(v.Type())
}
