// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A shadow is a cgo package without its C: what its importers compile against.
// Functions that call C have no body, which the compiler accepts of a package
// with assembly, so that nobody takes them for functions that do nothing. The
// others keep theirs, unless that does not compile.
//
// It is made by editing the text, so that each line and column stays where it
// was and directives stay with what they are about.
type shadow struct {
	files map[string][]byte // by the name of the file that each replaces
	drop  []string          // files of C and assembly that must go
}

// asmName is the empty assembly file that a shadow adds.
const asmName = "gpumemlint_shadow.s"

// newShadow builds the shadow of a cgo package. names are the names of
// packages by import path, to tell which imports are still used. With bare,
// no function keeps its body.
func newShadow(p *Package, names map[string]string, bare bool) (*shadow, error) {
	s := &shadow{files: map[string][]byte{}}
	c := newCNames()
	first := ""
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		path := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		e := &editor{file: fset.File(f.FileStart), src: src}
		e.functions(f, bare)
		e.variables(f)
		c.collect(f, e)
		e.imports(f, names)
		s.files[path] = e.apply()
		if first == "" {
			first = path
		}
	}
	if first == "" {
		return nil, fmt.Errorf("%s has no Go files", p.ImportPath)
	}
	s.files[first] = append(s.files[first], c.declarations()...)
	s.files[filepath.Join(p.Dir, asmName)] = []byte("// What this package does is not known here.\n")
	for _, list := range [][]string{p.CFiles, p.CXXFiles, p.MFiles, p.FFiles, p.SFiles, p.SysoFiles, p.SwigFiles, p.SwigCXXFiles} {
		for _, name := range list {
			s.drop = append(s.drop, filepath.Join(p.Dir, name))
		}
	}
	return s, nil
}

// An editor collects changes of a file's text.
type editor struct {
	file  *token.File
	src   []byte
	edits []edit
}

type edit struct {
	start, end int
	text       string
}

// replace puts text in the place of what stands between two positions. The
// line breaks of what goes are kept.
func (e *editor) replace(from, to token.Pos, text string) {
	start, end := e.file.Offset(from), e.file.Offset(to)
	if n := bytes.Count(e.src[start:end], []byte("\n")); n > 0 {
		text += strings.Repeat("\n", n)
	}
	e.edits = append(e.edits, edit{start, end, text})
}

// gone reports whether a position is in what was replaced.
func (e *editor) gone(pos token.Pos) bool {
	at := e.file.Offset(pos)
	return slices.ContainsFunc(e.edits, func(x edit) bool { return x.start <= at && at < x.end })
}

func (e *editor) apply() []byte {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, x := range e.edits {
		if x.start < at {
			continue // inside what is gone already
		}
		out.Write(e.src[at:x.start])
		out.WriteString(x.text)
		at = x.end
	}
	out.Write(e.src[at:])
	if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// endless is a body that is right for every signature.
const endless = "{ for {} }"

// functions removes the bodies that call C, or all of them. A generic function
// must keep a body, and so must a literal.
func (e *editor) functions(f *ast.File, bare bool) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			e.literals(d, bare)
			continue
		}
		switch {
		case fn.Body == nil:
		case fn.Recv == nil && fn.Name.Name == "init":
			e.replace(fn.Pos(), fn.End(), "") // without a body it means nothing
		case !bare && !usesC(fn.Body):
		case isGeneric(fn):
			e.replace(fn.Body.Pos(), fn.Body.End(), endless)
		default:
			e.replace(fn.Body.Pos(), fn.Body.End(), "")
		}
	}
}

// literals replaces the bodies of function literals outside functions.
func (e *editor) literals(d ast.Node, bare bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		if bare || usesC(lit.Body) {
			e.replace(lit.Body.Pos(), lit.Body.End(), endless)
		}
		return false
	})
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

// variables makes variables that C initialises variables of their declared
// type, or of the empty interface where they have none: any would ask for a
// newer language than old modules have.
func (e *editor) variables(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			if !slices.ContainsFunc(spec.Values, func(x ast.Expr) bool { return e.leftC(x) }) {
				continue // Go alone
			}
			from, text := spec.Names[len(spec.Names)-1].End(), " interface{}"
			if spec.Type != nil {
				from, text = spec.Type.End(), ""
			}
			e.replace(from, spec.Values[len(spec.Values)-1].End(), text)
		}
	}
}

// leftC reports whether C is used in x other than in what is gone.
func (e *editor) leftC(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			_, isC := cName(sel)
			found = found || isC && !e.gone(sel.Pos())
		}
		return !found
	})
	return found
}

func usesC(x ast.Node) bool {
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

// imports removes import "C" and gives a blank name to what only removed code
// used.
func (e *editor) imports(f *ast.File, names map[string]string) {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && !e.gone(id.Pos()) {
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
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			name := importName(spec, names)
			switch {
			case spec.Path.Value == `"C"` && !g.Lparen.IsValid():
				e.replace(g.Pos(), g.End(), "")
			case spec.Path.Value == `"C"`:
				e.replace(spec.Pos(), spec.End(), "")
			case name == "." || name == "_" || used[name]:
			default:
				e.replace(spec.Pos(), spec.Path.Pos(), "_ ")
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
