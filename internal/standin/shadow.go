// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A shadow is a package of declarations only: what its importers compile
// against, with nothing left that needs C. Functions have no body, which the
// compiler accepts of a package with assembly, so that nobody takes them for
// functions that do nothing.
type shadow struct {
	files map[string][]byte // by the name of the file that each replaces
	drop  []string          // files of C and assembly that must go
}

// asmName is the empty assembly file that a shadow adds.
const asmName = "gpumemlint_shadow.s"

// newShadow builds the shadow of a cgo package. names are the names of
// packages by import path, to tell which imports are still used.
func newShadow(p *Package, names map[string]string) (*shadow, error) {
	s := &shadow{files: map[string][]byte{}}
	c := &cNames{types: map[string]bool{}, values: map[string]bool{}, enums: map[string]bool{}}
	fset := token.NewFileSet()
	first := ""
	var parsed []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		path := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		stripBodies(f)
		c.replace(f)
		parsed = append(parsed, f)
		if first == "" {
			first = path
		}
	}
	for _, f := range parsed {
		pruneImports(f, names)
		var buf bytes.Buffer
		if err := printer.Fprint(&buf, fset, f); err != nil {
			return nil, fmt.Errorf("cannot print %s: %w", p.ImportPath, err)
		}
		path := fset.Position(f.Package).Filename
		if path == first {
			buf.WriteString(c.declarations())
		}
		s.files[path] = buf.Bytes()
	}
	s.files[filepath.Join(p.Dir, asmName)] = []byte("// What this package does is not known here.\n")
	for _, list := range [][]string{p.CFiles, p.CXXFiles, p.MFiles, p.FFiles, p.SFiles, p.SysoFiles, p.SwigFiles, p.SwigCXXFiles} {
		for _, name := range list {
			s.drop = append(s.drop, filepath.Join(p.Dir, name))
		}
	}
	return s, nil
}

// stripBodies removes what is inside functions. A generic function must keep
// a body, and a function literal gets one that does not return.
func stripBodies(f *ast.File) {
	f.Comments, f.Doc = nil, nil
	decls := f.Decls[:0]
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv == nil && fn.Name.Name == "init" {
			continue // without a body it means nothing
		}
		if ok {
			fn.Doc = nil
			if isGeneric(fn) {
				fn.Body = endless()
			} else {
				fn.Body = nil
			}
		}
		decls = append(decls, d)
	}
	f.Decls = decls
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			ast.Inspect(g, func(n ast.Node) bool {
				if lit, ok := n.(*ast.FuncLit); ok {
					lit.Body = endless()
					return false
				}
				return true
			})
		}
	}
}

func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams != nil {
		return true
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return false
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// endless is a body that is right for every signature.
func endless() *ast.BlockStmt {
	return &ast.BlockStmt{List: []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}}}
}

// cNames collects what a package uses of C outside function bodies.
type cNames struct {
	types  map[string]bool
	enums  map[string]bool // types of which a Go type is defined
	values map[string]bool
}

// replace puts Go names in the place of C's and removes import "C".
func (c *cNames) replace(f *ast.File) {
	c.dropUntypable(f)
	typePos := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			markTypes(n.Type, typePos)
		case *ast.ValueSpec:
			markTypes(n.Type, typePos)
		case *ast.TypeSpec:
			markTypes(n.Type, typePos)
			if name, ok := cName(n.Type); ok && !n.Assign.IsValid() {
				c.enums[name] = true
			}
		case *ast.CompositeLit:
			markTypes(n.Type, typePos)
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := cName(sel)
		if !ok {
			return true
		}
		if typePos[sel] {
			c.types[name] = true
		} else {
			c.values[name] = true
		}
		return false
	})
	renameC(f)
	decls := f.Decls[:0]
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return s.(*ast.ImportSpec).Path.Value == `"C"` })
			if len(g.Specs) == 0 {
				continue
			}
		}
		decls = append(decls, d)
	}
	f.Decls = decls
}

// dropUntypable makes variables that C initialises variables of their declared
// type, or of type any where they have none.
func (c *cNames) dropUntypable(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) > 0 && slices.ContainsFunc(spec.Values, usesC) {
				spec.Values = nil
				if spec.Type == nil {
					spec.Type = ast.NewIdent("any")
				}
			}
		}
	}
}

func usesC(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			_, isC := cName(sel)
			found = found || isC
		}
		return !found
	})
	return found
}

func cName(x ast.Expr) (string, bool) {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	id, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && id.Name == "C"
}

// markTypes notes which selectors inside a type are types themselves: all but
// those in the length of an array.
func markTypes(x ast.Expr, found map[ast.Expr]bool) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			markTypes(n.Elt, found)
			return false
		case *ast.SelectorExpr:
			found[n] = true
			return false
		}
		return true
	})
}

// prefix begins the names that replace C's.
const prefix = "_gpumemlint_C_"

// renameC turns C.x into a plain identifier.
func renameC(f *ast.File) {
	astutil.Apply(f, func(cur *astutil.Cursor) bool {
		sel, ok := cur.Node().(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := cName(sel)
		if ok {
			cur.Replace(&ast.Ident{NamePos: sel.Pos(), Name: prefix + name})
		}
		return !ok
	}, nil)
}

// basicTypes are Go's types for C's, by cgo's names.
var basicTypes = map[string]string{
	"char": "int8", "schar": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
	"long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "float": "float32", "double": "float64",
	"size_t": "uint64", "ssize_t": "int64", "uintptr_t": "uintptr", "bool": "bool", "_Bool": "bool",
	"int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16",
	"int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
}

// declarations gives every C name that is left a Go meaning: numbers their
// own, structs an opaque one, all other types that of a pointer, which most
// handles are; constants are distinct numbers.
func (c *cNames) declarations() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		goType, basic := basicTypes[name]
		switch {
		case basic:
		case strings.HasPrefix(name, "enum_"), c.enums[name]:
			goType = "uint32"
		case strings.HasPrefix(name, "struct_"), strings.HasPrefix(name, "union_"):
			goType = "struct{ _ uintptr }"
		default:
			goType = "*struct{ _ uintptr }"
		}
		fmt.Fprintf(&b, "\ntype %s%s %s\n", prefix, name, goType)
	}
	for i, name := range slices.Sorted(maps.Keys(c.values)) {
		if c.types[name] {
			continue // a conversion
		}
		if goType, ok := basicTypes[name]; ok {
			fmt.Fprintf(&b, "\ntype %s%s %s\n", prefix, name, goType)
			continue
		}
		fmt.Fprintf(&b, "\nconst %s%s = %d\n", prefix, name, i+1)
	}
	return b.String()
}

// pruneImports drops the imports that only function bodies used.
func pruneImports(f *ast.File, names map[string]string) {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		g.Doc = nil
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			spec.Doc, spec.Comment = nil, nil
			if name := importName(spec, names); name != "." && !used[name] {
				spec.Name = ast.NewIdent("_")
			}
		}
	}
}

// importName is the name that an import goes by in its file.
func importName(spec *ast.ImportSpec, names map[string]string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	if name := names[path]; name != "" {
		return name
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// write stores the shadow below dir and returns the entries for the go
// command's overlay: replaced file to replacement, "" for a file to leave out.
// The names depend on the content alone, so that the go command's cache holds.
func (s *shadow) write(dir string) (map[string]string, error) {
	overlay := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		to, err := store(dir, filepath.Base(path), s.files[path])
		if err != nil {
			return nil, err
		}
		overlay[path] = to
	}
	for _, path := range s.drop {
		overlay[path] = ""
	}
	return overlay, nil
}
