// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// File is one parsed stub file.
//
// The Class pointers of its types and effects carry a name only, until
// Set.With has found the class of that name.
type File struct {
	Name     string
	C        bool      // package C: functions of the C world
	Packages []Package // import paths that the declarations hold for
	Classes  []*Class
	Types    []*Type
	Funcs    []*Func

	success []successDefault
}

// Package is an import path that a stub file describes.
type Package struct {
	Path    string
	Module  string // the module that holds it, "" if the proxy has none
	Version string // the version that the stubs were written from
	Pos     token.Position
}

// successDefault is a success convention for every function that has a result
// of a type.
type successDefault struct {
	typ    string
	status int64
}

// Parse reads a stub file: Go declarations without bodies, annotated with
// //gpumem: directives (see docs/models.md). The filename is for positions
// only. The error, if any, is an ErrorList with all that is wrong.
func Parse(filename string, src []byte) (*File, error) {
	p := &reader{fset: token.NewFileSet(), stub: true, out: &File{Name: filename}}
	f, err := parser.ParseFile(p.fset, filename, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if err != nil {
		p.errs.addSyntax(filename, err)
		return nil, p.errs
	}
	p.header(f)
	p.file(f)
	p.duplicates()
	p.errs.sort()
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return p.out, nil
}

// ParseFiles reads the directives on the functions, types, variables and
// interface methods of a package of ordinary source. Class pointers carry a
// name only where s does not know the class and no directive declares it,
// which is also an error. The File is usable even then.
func (s *Set) ParseFiles(fset *token.FileSet, pkgPath string, files []*ast.File) (*File, ErrorList) {
	p := &reader{fset: fset, out: &File{Name: pkgPath, Packages: []Package{{Path: pkgPath}}}}
	for _, f := range files {
		p.file(f)
	}
	p.duplicates()
	s.mu.Lock()
	s.resolve(p.out, &p.errs)
	s.mu.Unlock()
	p.errs.sort()
	return p.out, p.errs
}

// ParseDecl is ParseFiles for the doc comments of one declaration.
func (s *Set) ParseDecl(fset *token.FileSet, pkgPath string, decl ast.Decl) (fns []*Func, types []*Type, classes []*Class, errs ErrorList) {
	p := &reader{fset: fset, out: &File{Name: pkgPath, Packages: []Package{{Path: pkgPath}}}}
	p.decl(decl)
	s.mu.Lock()
	s.resolve(p.out, &p.errs)
	s.mu.Unlock()
	p.errs.sort()
	return p.out.Funcs, p.out.Types, p.out.Classes, p.errs
}

// HasDirectives reports, cheaply, whether f has a //gpumem: comment.
func HasDirectives(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, prefix) {
				return true
			}
		}
	}
	return false
}

// A reader turns declarations into a File.
type reader struct {
	fset *token.FileSet
	stub bool
	out  *File
	errs ErrorList

	seen   map[*ast.Comment]bool // directives that stand where they may
	source string                // the last //gpumem:source between declarations
}

// header reads the doc comment of the package clause of a stub file.
func (p *reader) header(f *ast.File) {
	pos := p.fset.Position(f.Name.Pos())
	p.out.C = f.Name.Name == "C"
	for _, d := range p.directives(f.Doc) {
		switch d.verb {
		case "package":
			p.packageLine(d)
		case "source":
			p.source = p.sourceOf(d)
		case "success":
			p.successDefault(d)
		default:
			p.errs.add(d.pos, "the directive "+d.verb+" above the package clause", "package, source or success")
		}
	}
	switch {
	case p.out.C && len(p.out.Packages) > 0:
		p.errs.add(pos, "package C with an import path", "no //gpumem:package line, as C has none")
	case !p.out.C && len(p.out.Packages) == 0:
		p.errs.add(pos, "package "+f.Name.Name+" without an import path", "a line //gpumem:package IMPORT/PATH above the package clause")
	}
}

func (p *reader) packageLine(d directive) {
	pkg := Package{Pos: d.pos}
	for i, w := range d.words {
		switch {
		case i == 0 && !w.kv:
			pkg.Path = w.text
		case w.kv && w.text == "module" && strings.Contains(w.val, "@"):
			pkg.Module, pkg.Version, _ = strings.Cut(w.val, "@")
		default:
			p.errs.add(w.pos, w.String(), "IMPORT/PATH and, where there is one, module=MODULE@VERSION")
			return
		}
	}
	if pkg.Path == "" {
		p.errs.add(d.pos, "package without an import path", "IMPORT/PATH")
		return
	}
	p.out.Packages = append(p.out.Packages, pkg)
}

func (p *reader) successDefault(d directive) {
	var typ string
	n := len(p.errs)
	s, _, value := d.success(nil, &typ, &p.errs)
	if len(p.errs) > n {
		return
	}
	if s != SuccessStatus {
		p.errs.add(d.pos, "success without status= in a file header", "status=NUMBER type=NAME")
		return
	}
	p.out.success = append(p.out.success, successDefault{typ, value})
}

// file reads the declarations and the comments between them, in their order.
func (p *reader) file(f *ast.File) {
	if p.seen == nil {
		p.seen = map[*ast.Comment]bool{}
	}
	docs := map[*ast.CommentGroup]bool{f.Doc: true}
	for _, decl := range f.Decls {
		eachDoc(decl, func(g *ast.CommentGroup) { docs[g] = true })
	}
	groups := f.Comments
	for _, decl := range f.Decls {
		for len(groups) > 0 && groups[0].Pos() < decl.Pos() {
			if !docs[groups[0]] {
				p.between(groups[0])
			}
			groups = groups[1:]
		}
		for len(groups) > 0 && groups[0].End() <= decl.End() {
			groups = groups[1:] // documents the declaration, or is checked below
		}
		p.decl(decl)
	}
	for _, g := range groups {
		p.between(g)
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, prefix) && !p.seen[c] {
				if !p.stub && g == f.Doc {
					p.between(g)
					continue
				}
				p.errs.add(p.fset.Position(c.Pos()), strconv.Quote(oneLine(c.Text)), "directives in the comment right above a declaration")
			}
		}
	}
}

// eachDoc calls f for the comments whose directives belong to decl.
func eachDoc(decl ast.Decl, f func(*ast.CommentGroup)) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		f(decl.Doc)
	case *ast.GenDecl:
		f(decl.Doc)
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				f(spec.Doc)
				if it, ok := spec.Type.(*ast.InterfaceType); ok {
					for _, m := range it.Methods.List {
						f(m.Doc)
					}
				}
			case *ast.ValueSpec:
				f(spec.Doc)
			}
		}
	}
}

// between reads a comment that belongs to no declaration.
func (p *reader) between(g *ast.CommentGroup) {
	for _, d := range p.directives(g) {
		switch {
		case d.verb == "class":
			p.class(d)
		case d.verb == "source" && p.stub:
			p.source = p.sourceOf(d)
		case p.stub:
			p.errs.add(d.pos, "the directive "+d.verb+" between declarations", "class or source, or no empty line before the declaration it belongs to")
		default:
			p.errs.add(d.pos, "the directive "+d.verb+" between declarations", "class, or no empty line before the declaration it belongs to")
		}
	}
}

// directives returns the directives in a comment.
func (p *reader) directives(g *ast.CommentGroup) (list []directive) {
	if g == nil {
		return nil
	}
	if p.seen == nil {
		p.seen = map[*ast.Comment]bool{}
	}
	for _, c := range g.List {
		if p.seen[c] {
			continue // the doc of a group with one spec is read once
		}
		p.seen[c] = true
		pos := p.fset.Position(c.Pos())
		if strings.HasPrefix(c.Text, "// gpumem:") {
			p.errs.add(pos, strconv.Quote("// gpumem:"), strconv.Quote(prefix)+" without a space, as Go directives are written")
			continue
		}
		if d, ok := splitDirective(c.Text, pos, &p.errs); ok {
			list = append(list, d)
		}
	}
	return list
}

func (p *reader) sourceOf(d directive) string {
	if len(d.words) == 1 && !d.words[0].kv && isURL(d.words[0].text) {
		return d.words[0].text
	}
	// A URL with a query has a = in it.
	if len(d.words) == 1 && d.words[0].kv && isURL(d.words[0].text) {
		return d.words[0].text + "=" + d.words[0].val
	}
	got := "no link"
	if len(d.words) > 0 {
		got = d.words[0].String()
	}
	p.errs.add(d.pos, got, "one https:// link to where the library says so")
	return p.source
}

func isURL(s string) bool { return strings.HasPrefix(s, "https://") && len(s) > len("https://") }

func (p *reader) class(d directive) {
	if c := d.class(&p.errs); c != nil {
		c.Source = p.source
		p.out.Classes = append(p.out.Classes, c)
	}
}

// duplicates reports what is declared twice in one file.
func (p *reader) duplicates() {
	first := map[string]token.Position{}
	check := func(key string, pos token.Position) {
		if at, ok := first[key]; ok {
			p.errs.add(pos, "a second "+key, fmt.Sprintf("one, and the first is at line %d", at.Line))
			return
		}
		first[key] = pos
	}
	for _, c := range p.out.Classes {
		check("class "+c.Name, c.Pos)
	}
	for _, t := range p.out.Types {
		check("type "+t.Key, t.Pos)
	}
	for _, f := range p.out.Funcs {
		if f.Match != nil {
			continue // many patterns may hold for one type
		}
		for _, key := range f.keys() {
			check("model of "+key, f.Pos)
		}
	}
}
