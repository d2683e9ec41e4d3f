// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
)

// asOwnerDoes writes the release of a field the way its type's own release
// method does: C.free(t.data) there is C.free(b.data) here. That says which of
// several functions is right where the field's type, a raw pointer, does not.
func (s *site) asOwnerDoes() []release {
	root := rootOf(s.v.info, s.handle)
	if root == nil {
		return nil
	}
	t := root.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != s.v.pkg {
		return nil // another package's type
	}
	field := strings.TrimPrefix(s.name(), root.Name())
	for i := 0; i < named.NumMethods(); i++ {
		m := named.Method(i)
		if !closers[m.Name()] && !slices.Contains(s.verdict.Class.Releases, m.Name()) {
			continue
		}
		decl := s.v.declOf(m)
		if decl == nil || decl.Body == nil || len(decl.Recv.List[0].Names) == 0 {
			continue
		}
		if r, ok := s.likeIn(decl, field); ok {
			return []release{r}
		}
	}
	return nil
}

// likeIn finds the call in a method that releases a field.
func (s *site) likeIn(decl *ast.FuncDecl, field string) (r release, found bool) {
	src := s.v.file(decl.Pos())
	e := &editor{s: src, fset: s.v.pass.Fset} // to read with
	recv := s.v.info.Defs[decl.Recv.List[0].Names[0]]
	want := decl.Recv.List[0].Names[0].Name + field
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		st, ok := n.(*ast.ExprStmt)
		if !ok || found {
			return !found
		}
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		var at ast.Expr
		plain := true
		ast.Inspect(call, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if p := plainOperand(x); p != nil && nameText(p) == want && rootOf(s.v.info, p) == recv && at == nil {
				at = x
				return false
			}
			if id, ok := x.(*ast.Ident); ok {
				if v, isVar := s.v.info.ObjectOf(id).(*types.Var); isVar && !v.IsField() && v.Parent() != s.v.pkg.Scope() {
					plain = false // needs something that is not at hand elsewhere
				}
			}
			return true
		})
		fn := callee(s.v.info, call)
		if at == nil || !plain || fn == nil || !s.releasing(fn) {
			return true
		}
		before := string(src.text[e.offset(call.Pos()):e.offset(at.Pos())])
		after := string(src.text[e.offset(at.Pos())+len(want) : e.offset(call.End())])
		r = release{
			write: func(x string) string { return before + x + after },
			verb:  fn.Name(), fails: lastIsError(fn.Signature()), nilSafe: nilSafe(s.v.models().Func(fn)),
		}
		if c, ok := strings.CutPrefix(fn.Name(), "_Cfunc_"); ok {
			if !s.cVisible(c) {
				return true
			}
			r.c, r.verb = c, "C."+c
		}
		r.unsafe = strings.Contains(before, "unsafe.")
		found = true
		return false
	})
	return r, found
}

// releasing reports whether a function releases: by its model or, where there is
// none, by its name, in a method whose job that is.
func (s *site) releasing(fn *types.Func) bool {
	if m := s.v.models().Func(fn); m != nil {
		for _, e := range m.Effects {
			if e.Op == rules.OpRelease || e.Op == rules.OpConsume {
				return true
			}
		}
		return false
	}
	name := strings.ToLower(strings.TrimPrefix(fn.Name(), "_Cfunc_"))
	for _, w := range []string{"free", "destroy", "release", "delete", "close", "unref", "dispose", "drop", "unload", "finalize"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// nilSafe reports whether a model says that releasing nothing is harmless.
func nilSafe(m *rules.Func) bool {
	if m == nil {
		return false
	}
	for _, e := range m.Effects {
		if e.Op == rules.OpRelease && (e.NilSafe || e.Class != nil && e.Class.NilSafe) {
			return true
		}
	}
	return false
}
