// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// A cFunc is a C function as cgo declares it in Go.
type cFunc struct {
	params []string          // Go types, as text that holds in every file of the package
	result string            // likewise; empty for void
	pairs  []ownership.CPair // what it acquires or releases by its name and types
}

func (f *cFunc) results() int {
	if f.result == "" {
		return 0
	}
	return 1
}

// What cgo calls the result of a function without one, and how a file may
// write its type.
const (
	cVoid     = "_Ctype_void"
	cVoidType = "[0]byte"
)

// readC reads what cgo made of the C functions that a package calls: a file of
// declarations like
//
//	func _Cfunc_cudaMalloc(p0 *unsafe.Pointer, p1 _Ctype_size_t) (r1 _Ctype_cudaError_t)
//
// A function with a type that no file can write is left out.
func (b *builder) readC(p *pkg) (map[string]*cFunc, error) {
	funcs := map[string]*cFunc{}
	fset := token.NewFileSet()
	for _, name := range p.CompiledGoFiles {
		if !filepath.IsAbs(name) {
			continue // the user's
		}
		// The go command's cache does not keep the names of what it holds.
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what cgo made: %w", err)
		}
		if !bytes.Contains(src, []byte("\nfunc _cgo_runtime_cgocall(")) {
			continue // the package's own files, rewritten
		}
		syntax, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read what cgo made: %w", err)
		}
		conf := types.Config{Importer: &exports{b: b, pkg: p, seen: map[string]*types.Package{}}, Error: func(error) {}, IgnoreFuncBodies: true}
		made, _ := conf.Check(p.path(), fset, []*ast.File{syntax}, nil) // what has no type is in no pair
		names := cNames(syntax)
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			c, ok := strings.CutPrefix(fn.Name.Name, "_Cfunc_")
			if !ok {
				continue // the two-result form has the same parameters
			}
			if c == "_CMalloc" {
				c = "malloc"
			}
			if f, ok := names.function(fn.Type); ok {
				funcs[c] = f
			}
		}
		for _, pair := range ownership.CPairs(made) {
			if f := funcs[pair.Name]; f != nil {
				f.pairs = append(f.pairs, pair)
			}
		}
		return funcs, nil
	}
	return nil, fmt.Errorf("its C cannot be compiled here: calls of C functions are not recorded")
}

// cTypes are the typedefs of a package's C: the types without a name of their
// own that they name.
type cTypes map[string]string

// cNames reads the typedefs: type _Ctype_buf = _Ctype_struct___0.
func cNames(syntax *ast.File) cTypes {
	names := cTypes{}
	for _, decl := range syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if id, ok := ts.Type.(*ast.Ident); ok && strings.Contains(id.Name, "___") && names[id.Name] == "" {
				names[id.Name] = ts.Name.Name
			}
		}
	}
	return names
}

// function is a declaration of cgo's in the words of the package's own files.
func (names cTypes) function(typ *ast.FuncType) (*cFunc, bool) {
	f := &cFunc{}
	for _, field := range typ.Params.List {
		text, ok := names.text(field.Type)
		if !ok {
			return nil, false
		}
		for range max(1, len(field.Names)) {
			f.params = append(f.params, text)
		}
	}
	if r := typ.Results; r != nil && len(r.List) > 0 {
		if types.ExprString(r.List[0].Type) == cVoid {
			return f, true
		}
		text, ok := names.text(r.List[0].Type)
		if !ok {
			return nil, false
		}
		f.result = text
	}
	return f, true
}

var cIdent = regexp.MustCompile(`_C[a-zA-Z0-9]+_\w+`)

// text is a type of cgo's as a file with import "C" writes it: C.size_t for
// _Ctype_size_t.
func (names cTypes) text(e ast.Expr) (string, bool) {
	ok := true
	text := cIdent.ReplaceAllStringFunc(types.ExprString(e), func(name string) string {
		if strings.Contains(name, "___") {
			name = names[name] // nameless in C, unless a typedef names it
		}
		c, is := strings.CutPrefix(name, "_Ctype_")
		ok = ok && is
		return "C." + c
	})
	return text, ok && !strings.Contains(text, "struct{") && !strings.Contains(text, "_GoString_")
}

// rawCalls rewrites the calls of C functions that have a model. The callee is
// replaced by a literal with the same parameters, which holds in every place
// that a call can stand in: in an expression, behind defer and go, and where cgo
// is asked for errno as a second result.
func (b *builder) rawCalls(u *unit) {
	for _, f := range u.files {
		if !importsC(f.syntax) {
			continue
		}
		two := errnoCalls(f.syntax)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := cCallee(call.Fun); ok && u.c[name] != nil {
				b.rawCall(u, f, call, name, two[call], nil)
			}
			return true
		})
	}
}

// rawCall rewrites a call of a C function, if it has a model or is to fail.
func (b *builder) rawCall(u *unit, f *file, call *ast.CallExpr, name string, errno bool, point *point) {
	c := u.c[name]
	s := b.cSpec(name, c)
	if s == nil && point == nil {
		return // C like any other
	}
	if f.c == nil {
		f.c = map[*ast.CallExpr]bool{}
	}
	if f.c[call] {
		return // done, with its point
	}
	if point == nil {
		point = b.pointAt(u, f, call)
	}
	f.c[call] = true
	var params, names, outs, results []string
	for i, t := range c.params {
		names = append(names, fmt.Sprintf("p%d", i))
		params = append(params, fmt.Sprintf("p%d %s", i, t))
	}
	if c.result != "" || errno {
		result := c.result
		if result == "" {
			result = cVoidType
		}
		results = append(results, "r0 "+result)
		outs = append(outs, "r0")
	}
	if errno {
		results = append(results, "r1 error")
		outs = append(outs, "r1")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "func(%s) (%s) { ", strings.Join(params, ", "), strings.Join(results, ", "))
	if point != nil {
		fmt.Fprintf(&text, "if %s.Fail(%d, %d%s) { return }; ", track, point.number, point.success, addresses(outs, ", "))
	}
	if s != nil {
		fmt.Fprintf(&text, "gpumemtrackC := %s.F(%d", track, b.cNumber(name, s))
		for _, in := range s.ins {
			fmt.Fprintf(&text, ", p%d", in)
		}
		text.WriteString("); ")
	}
	if len(outs) > 0 {
		text.WriteString(strings.Join(outs, ", ") + " = ")
	}
	fmt.Fprintf(&text, "C.%s(%s); ", name, strings.Join(names, ", "))
	if s != nil {
		fmt.Fprintf(&text, "gpumemtrackC.Out(%s); ", addresses(outs, ""))
	}
	text.WriteString("return }")
	f.replace(call.Fun.Pos(), call.Fun.End(), text.String())
}

// addresses lists &name, each with a comma before it; lead is the first comma.
func addresses(names []string, lead string) string {
	var list []string
	for _, n := range names {
		list = append(list, "&"+n)
	}
	if len(list) == 0 {
		return ""
	}
	return lead + strings.Join(list, ", ")
}

// cSpec is how the ledger follows a C function; nil if it does not.
func (b *builder) cSpec(name string, c *cFunc) *spec {
	m := b.set.C(name)
	var s *spec
	switch {
	case m == nil && len(c.pairs) > 0:
		s = b.pairSpec(name, c)
	case m != nil && len(m.Params) == len(c.params):
		s = b.specOf(m, "C."+name, signature{c: c}, false)
	}
	if s == nil {
		return nil // no model, one of another version, or nothing to follow
	}
	s.fn.Raw = true
	return s
}

// pairSpec follows a function by the pairs that it is in.
func (b *builder) pairSpec(name string, c *cFunc) *spec {
	s := &spec{fn: ledger.Func{Name: "C." + name}}
	for i := range c.params {
		s.ins = append(s.ins, i)
	}
	s.fn.Ins = len(s.ins)
	for _, p := range c.pairs {
		e := ledger.Effect{Op: ledger.OpAcquire, Class: b.inferredClass(p), Place: ledger.Place{Root: p.Param, Deref: p.Deref}, Of: ledger.Place{Root: -1}}
		if p.Release {
			e.Op = ledger.OpRelease
		}
		if p.Param < 0 {
			e.Place.Root = len(s.ins)
		}
		s.fn.Effects = append(s.fn.Effects, e)
	}
	return s
}

// inferredClass is the number of a class that nobody has declared.
func (b *builder) inferredClass(p ownership.CPair) int {
	n, ok := b.classes[p.Class]
	if !ok {
		n = len(b.table.Classes)
		b.classes[p.Class] = n
		b.table.Classes = append(b.table.Classes, ledger.Class{Name: p.Class, Inferred: true, Reused: true})
	}
	return n
}

// cNumber is the number of a C function's spec, the same for all calls.
func (b *builder) cNumber(name string, s *spec) int {
	n, ok := b.cNumbers[name]
	if !ok {
		n = b.add(s)
		b.cNumbers[name] = n
	}
	return n
}

// cCallee is the name of the C function that is called: C.name.
func cCallee(fun ast.Expr) (string, bool) {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != "C" {
		return "", false
	}
	return sel.Sel.Name, true
}

func importsC(f *ast.File) bool {
	for _, imp := range f.Imports {
		if imp.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// errnoCalls are the calls that cgo gives a second result, errno as an error.
func errnoCalls(f *ast.File) map[*ast.CallExpr]bool {
	list := map[*ast.CallExpr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		var values []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 2 {
				values = n.Rhs
			}
		case *ast.ValueSpec:
			if len(n.Names) == 2 {
				values = n.Values
			}
		}
		if len(values) == 1 {
			if call, ok := values[0].(*ast.CallExpr); ok {
				list[call] = true
			}
		}
		return true
	})
	return list
}

// statusOf is the value of a call's last result that means success, for an
// injected failure to be another one.
func statusOf(m *rules.Func) int64 {
	if m != nil && m.Success == rules.SuccessStatus {
		return m.StatusValue
	}
	return 0
}
