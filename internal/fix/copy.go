// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// copied gives out a copy of a view whose memory goes when the function returns:
//
//	defer buf.Close()
//	return buf.Bytes(), nil  →  return append([]byte(nil), buf.Bytes()...), nil
//
// It is the package's own way of cloning where the file imports one.
func (v *variant) copied(verdict ownership.Verdict) []candidate {
	a := verdict.After
	if verdict.Kind != ownership.Outlived || a.Kept || a.Touch != "return" {
		return nil
	}
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil {
		return nil
	}
	ret, ok := s.anchor().(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	d := v.dependentsIn(s.body, func(x ast.Expr) bool {
		call, ok := x.(*ast.CallExpr)
		return ok && call.Fun.Pos() == a.Made
	}, 0)
	var view ast.Expr
	for _, r := range ret.Results {
		if !mayPoint(v.info.TypeOf(r), 0) || !d.leads(r) {
			continue
		}
		if view != nil {
			return nil // two of them
		}
		view = r
	}
	if view == nil {
		return nil // inside something else
	}
	t := v.info.TypeOf(view)
	sl, ok := t.(*types.Slice)
	if !ok || mayPoint(sl.Elem(), 0) {
		return nil // its elements lead on
	}
	e := s.editor()
	text := e.source(view)
	switch {
	case s.imported("slices") != "":
		text = s.imported("slices") + ".Clone(" + text + ")"
	case s.imported("bytes") != "" && types.Identical(sl.Elem(), types.Typ[types.Byte]):
		text = s.imported("bytes") + ".Clone(" + text + ")"
	default:
		name := types.TypeString(t, s.qualify)
		if name == "" {
			return nil
		}
		text = "append(" + name + "(nil), " + text + "...)"
	}
	e.replace(view, text)
	return s.plain(e, "return a copy")
}

// imported is what the file calls a package of the standard library, or "".
func (s *site) imported(path string) string {
	for _, spec := range s.src.syntax.Imports {
		if spec.Path.Value == `"`+path+`"` {
			if spec.Name == nil {
				return path
			}
			if spec.Name.Name != "_" && spec.Name.Name != "." {
				return spec.Name.Name
			}
		}
	}
	return ""
}

// qualify names a package in a type as the file does.
func (s *site) qualify(p *types.Package) string {
	if p == s.v.pkg {
		return ""
	}
	if name := s.importName(p); name != "" {
		return name
	}
	return p.Name() // the trial refuses it
}
