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
