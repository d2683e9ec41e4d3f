// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A Mutant is a source file in which one release is missing.
type Mutant struct {
	Name string // file and line of the release
	Decl string // declaration that lacks it
	Src  []byte
}

// keepDecl is the function that takes the place of a release whose result is
// used.
const keepDecl = "\nfunc keepMutant[T any](x T) error { return nil }\n"

// Mutants makes one mutant for every call in a file that isRelease names: the
// call goes away and its operand is only looked at.
func Mutants(filename string, isRelease func(name string) bool) ([]Mutant, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filename, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var lines []token.Pos
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && released(call, isRelease) != nil {
			lines = append(lines, call.Pos())
		}
		return true
	})
	var out []Mutant
	for _, pos := range lines {
		// The tree is changed in place, so each mutant starts from a fresh one.
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filename, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		at := fset.Position(pos)
		m := Mutant{Name: fmt.Sprintf("%s:%d:%d", strings.TrimSuffix(filepath.Base(filename), ".go"), at.Line, at.Column)}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && d.Pos() <= pos && pos < d.End() {
				m.Decl = fn.Name.Name
				if fn.Recv != nil {
					m.Decl = typeName(fn.Recv.List[0].Type) + "." + m.Decl
				}
			}
		}
		remove(f, pos, isRelease)
		var buf bytes.Buffer
		if err := format.Node(&buf, fset, f); err != nil {
			return nil, err
		}
		buf.WriteString(keepDecl)
		m.Src = buf.Bytes()
		out = append(out, m)
	}
	return out, nil
}

// libraries are the names under which the programs import what they release.
var libraries = map[string]bool{"llama": true, "nvml": true, "ort": true, "gocv": true}

// released is the expression that a call releases, or nil.
func released(call *ast.CallExpr, isRelease func(string) bool) ast.Expr {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isRelease(sel.Sel.Name) {
		return nil
	}
	if len(call.Args) == 1 {
		return call.Args[0] // a function of the library
	}
	if x, ok := sel.X.(*ast.Ident); ok && libraries[x.Name] {
		return nil // the library itself: llama.Close()
	}
	return sel.X
}

// remove replaces the release at pos.
func remove(f *ast.File, pos token.Pos, isRelease func(string) bool) {
	look := func(x ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}
	}
	astutil.Apply(f, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && call.Pos() == pos && released(call, isRelease) != nil {
				c.Replace(look(released(call, isRelease)))
				return false
			}
		case *ast.DeferStmt:
			if n.Call.Pos() == pos && released(n.Call, isRelease) != nil {
				c.Replace(look(released(n.Call, isRelease)))
				return false
			}
		case *ast.CallExpr:
			if x := released(n, isRelease); n.Pos() == pos && x != nil {
				c.Replace(&ast.CallExpr{Fun: ast.NewIdent("keepMutant"), Args: []ast.Expr{x}})
				return false
			}
		}
		return true
	}, nil)
}
