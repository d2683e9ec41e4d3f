// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tests makes the tests of a file tell the ledger when they begin. So does
// every function whose first parameter is a *testing.T, B or F, literals
// included: these are subtests, or helpers, whose telling changes nothing. The end of a
// test comes from t.Cleanup, after all that the test registers there.
func (b *builder) tests(f *file) {
	name := importedAs(f.syntax, "testing")
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch fn := n.(type) {
		case *ast.FuncDecl:
			switch {
			case fn.Body == nil:
				// nothing to put anything into
			case fn.Recv == nil && isExample(fn):
				f.insert(fn.Body.Lbrace+1, fmt.Sprintf(" defer %s.Example(%q)();", track, fn.Name.Name))
			default:
				b.test(f, fn.Type, fn.Body, name)
			}
		case *ast.FuncLit:
			b.test(f, fn.Type, fn.Body, name)
		}
		return true
	})
}

// test rewrites one function, if its first parameter is a test's.
func (b *builder) test(f *file, typ *ast.FuncType, body *ast.BlockStmt, testing string) {
	if testing == "" || typ.Params == nil || len(typ.Params.List) == 0 {
		return
	}
	first := typ.Params.List[0]
	star, ok := first.Type.(*ast.StarExpr)
	if !ok {
		return
	}
	switch x := star.X.(type) {
	case *ast.SelectorExpr:
		pkg, ok := x.X.(*ast.Ident)
		if !ok || pkg.Name != testing || x.Sel.Name != "T" && x.Sel.Name != "B" && x.Sel.Name != "F" {
			return
		}
	case *ast.Ident:
		if testing != "." || x.Name != "T" && x.Name != "B" && x.Name != "F" {
			return
		}
	default:
		return
	}
	if f.named == nil {
		f.named = map[*ast.FieldList]bool{}
	}
	names := nameFields(f, typ.Params, track+"T", !f.named[typ.Params])
	f.named[typ.Params] = true
	f.insert(body.Lbrace+1, fmt.Sprintf(" %s.Test(%s);", track, names[0]))
}

// isExample reports whether go test runs a function as an example.
func isExample(fn *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, "Example")
	if !ok || fn.Type.Params.NumFields() > 0 || fn.Type.Results.NumFields() > 0 || fn.Type.TypeParams != nil {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

// importedAs is the name that a file imports a package under: "." for a dot
// import, empty if it does not.
func importedAs(f *ast.File, path string) string {
	for _, imp := range f.Imports {
		if imp.Path.Value != `"`+path+`"` {
			continue
		}
		if imp.Name == nil {
			return path[strings.LastIndexByte(path, '/')+1:]
		}
		if imp.Name.Name != "_" {
			return imp.Name.Name
		}
	}
	return ""
}

// loops makes the loops of a file count: their live allocations are looked at
// when an iteration begins. Loops that call nothing acquire nothing.
func (b *builder) loops(u *unit, f *file) {
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if hasGoto(fn.Body) {
			continue // a goto must not jump over a declaration
		}
		labels := map[ast.Stmt]token.Pos{}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch s := n.(type) {
			case *ast.LabeledStmt:
				at := s.Pos()
				if outer, ok := labels[s]; ok {
					at = outer // a label on a label
				}
				labels[s.Stmt] = at
				return true
			case *ast.ForStmt:
				body = s.Body
			case *ast.RangeStmt:
				body = s.Body
			default:
				return true
			}
			if !calls(body) {
				return true
			}
			at := n.Pos()
			if label, ok := labels[n.(ast.Stmt)]; ok {
				at = label
			}
			b.loop(f, n, at, body)
			return true
		})
	}
}

func (b *builder) loop(f *file, n ast.Node, at token.Pos, body *ast.BlockStmt) {
	number := len(b.table.Loops)
	where := b.fset.PositionFor(n.Pos(), true) // as stacks have it
	b.table.Loops = append(b.table.Loops, loopFrame(where))
	name := fmt.Sprintf("%sL%d", track, number)
	f.insert(at, fmt.Sprintf("%s := %s.Enter(%d); ", name, track, number))
	f.insert(body.Lbrace+1, fmt.Sprintf(" %s.Next();", name))
}

func hasGoto(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if br, ok := n.(*ast.BranchStmt); ok && br.Tok == token.GOTO {
			found = true
		}
		return !found
	})
	return found
}

// calls reports whether a call stands in a block.
func calls(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return !found
	})
	return found
}
