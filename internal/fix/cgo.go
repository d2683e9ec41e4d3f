// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/gpumemlint/gpumemlint/rules"
)

// The names that cgo gives to what C offers, by what it is.
var cPrefixes = []string{"_Ctype_", "_Ciconst_", "_Cfconst_", "_Csconst_", "_Cfunc_"}

var errUnbound = errors.New("a reference to C has no declaration")

// bindC does to the syntax trees of the user's files what cgo did when it wrote
// its own form of them, but without the literals that it puts around calls:
//
//	C.free(p)            _Cfunc_free(p)
//	n, err := C.read(p)  n, err := _C2func_read(p)
//	C.size_t(n)          _Ctype_size_t(n)
//	C.NULL_ID            _Ciconst_NULL_ID
//	C.stdout             (*_Cvar_stdout)
//	C.cb(C.on_event)     _Ctype_cb(_Cgo_ptr(_Cfpvar_fp_on_event))
//
// Positions stay, so what is found there is at the user's place. Macros whose
// value is an expression, and what else is rare, are left; the type checker
// then refuses the file and no fix is offered.
func (v *variant) bindC() error {
	declared := v.declaredByCgo()
	for name := range v.extra {
		if declared["_Cfunc_"+name] {
			delete(v.extra, name)
		}
	}
	if err := v.declareExtra(declared); err != nil {
		return err
	}
	for _, s := range v.files {
		if s.text == nil {
			continue
		}
		var err error
		two := twoResults(s.syntax)
		astutil.Apply(s.syntax, func(c *astutil.Cursor) bool {
			switch n := c.Node().(type) {
			case *ast.ImportSpec:
				if n.Path.Value == `"C"` {
					n.Path = &ast.BasicLit{ValuePos: n.Path.ValuePos, Kind: token.STRING, Value: `"unsafe"`}
					n.Name = &ast.Ident{NamePos: n.Path.ValuePos, Name: "_"}
				}
			case *ast.SelectorExpr:
				id, ok := n.X.(*ast.Ident)
				if !ok || id.Name != "C" {
					return true
				}
				call, isCall := c.Parent().(*ast.CallExpr)
				isCall = isCall && call.Fun == n
				x := bound(n, isCall, isCall && two[call], declared)
				if x == nil {
					err = fmt.Errorf("C.%s: %w", n.Sel.Name, errUnbound)
					return false
				}
				c.Replace(x)
				return false
			}
			return true
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// declaredByCgo lists the names in cgo's own file.
func (v *variant) declaredByCgo() map[string]bool {
	names := map[string]bool{}
	for _, s := range v.files {
		if s.text != nil {
			continue
		}
		for _, d := range s.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							names[id.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// twoResults are the calls whose errno is wanted: v, err := C.f().
func twoResults(f *ast.File) map[*ast.CallExpr]bool {
	two := map[*ast.CallExpr]bool{}
	add := func(lhs int, rhs []ast.Expr) {
		if lhs == 2 && len(rhs) == 1 {
			if call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr); ok {
				two[call] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			add(len(n.Lhs), n.Rhs)
		case *ast.ValueSpec:
			add(len(n.Names), n.Values)
		}
		return true
	})
	return two
}

// bound is what stands for C.name.
func bound(sel *ast.SelectorExpr, call, two bool, declared map[string]bool) ast.Expr {
	name := sel.Sel.Name
	ident := func(s string) *ast.Ident { return &ast.Ident{NamePos: sel.Pos(), Name: s} }
	if call {
		if two && declared["_C2func_"+name] {
			return ident("_C2func_" + name)
		}
		if name == "malloc" {
			name = "_CMalloc"
		}
		if declared["_Cfunc_"+name] {
			return ident("_Cfunc_" + name)
		}
		name = sel.Sel.Name
	}
	for _, p := range cPrefixes {
		if declared[p+name] {
			return ident(p + name)
		}
	}
	switch {
	case declared["_Cvar_"+name]:
		return &ast.ParenExpr{Lparen: sel.Pos(), X: &ast.StarExpr{Star: sel.Pos(), X: ident("_Cvar_" + name)}, Rparen: sel.Pos()}
	case declared["_Cfpvar_fp_"+name]:
		return &ast.CallExpr{Fun: ident("_Cgo_ptr"), Lparen: sel.Pos(), Args: []ast.Expr{ident("_Cfpvar_fp_" + name)}, Rparen: sel.Pos()}
	case declared["_Cmacro_"+name]:
		return &ast.CallExpr{Fun: ident("_Cmacro_" + name), Lparen: sel.Pos(), Rparen: sel.Pos()}
	}
	return nil
}

// cType matches a C type in the Go notation of a model.
var cType = regexp.MustCompile(`\bC\.(\w+)`)

// declareExtra adds a file that declares the C functions which only a fix
// calls, as their models do.
func (v *variant) declareExtra(declared map[string]bool) error {
	if len(v.extra) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n", v.pass.Pkg.Name())
	for _, name := range sortedNames(v.extra) {
		m := rules.Default().C(name)
		if m == nil {
			return errUnbound
		}
		var params []string
		for _, p := range m.Params {
			t := cType.ReplaceAllString(p.Type, "_Ctype_$1")
			for _, ref := range cType.FindAllStringSubmatch(p.Type, -1) {
				if !declared["_Ctype_"+ref[1]] {
					return errUnbound
				}
			}
			params = append(params, "_ "+t)
		}
		fmt.Fprintf(&b, "\nfunc _Cfunc_%s(%s)\n", name, strings.Join(params, ", "))
		declared["_Cfunc_"+name] = true
	}
	f, err := parser.ParseFile(v.pass.Fset, "_cgo_more.go", b.String(), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	v.files = append(v.files, &source{name: "_cgo_more.go", syntax: f})
	return nil
}
