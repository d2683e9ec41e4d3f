// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/build"
	"go/printer"
	"go/token"
	"os"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/rules"
)

// touches reports whether a package can have anything to do with a modelled
// resource, by its imports alone: it imports a modelled library, uses cgo,
// has directives, or imports a package that was summarised. It runs for every
// package of a build, so it starts with what costs least.
func touches(pass *analysis.Pass) bool {
	if isStdPackage(pass) {
		return false
	}
	for _, imp := range pass.Pkg.Imports() {
		path := imp.Path()
		if path == "runtime/cgo" || path == "C" {
			return true
		}
		if !isStd(path) && builtinModels().Package(path) || path != "unsafe" && pass.ImportPackageFact(imp, new(PkgFact)) {
			return true // a path without a dot need not be the standard library's
		}
	}
	if modelFlag.String() != "" {
		return true
	}
	for _, f := range pass.Files {
		if rules.HasDirectives(f) {
			return true
		}
	}
	return usesCgo(pass)
}

// usesCgo reports whether cgo has processed a file: every such package
// declares functions named after C's.
func usesCgo(pass *analysis.Pass) bool {
	for _, f := range pass.Files {
		for _, imp := range f.Imports {
			if imp.Path.Value == `"runtime/cgo"` || imp.Path.Value == `"C"` {
				return true
			}
		}
	}
	return false
}

func isStdPackage(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Path != "" {
		return pass.Module.Path == "std"
	}
	// Without a module (GOPATH, Bazel) the import path decides, but a path
	// without a dot is just as often the user's own.
	if !isStd(pass.Pkg.Path()) || len(pass.Files) == 0 {
		return false
	}
	return underGoroot(pass)
}

func underGoroot(pass *analysis.Pass) bool {
	name := pass.Fset.File(pass.Files[0].FileStart).Name()
	return strings.HasPrefix(name, goroot()+"/src/")
}

var goroot = sync.OnceValue(func() string { return build.Default.GOROOT })

type directiveError struct {
	pos token.Pos
	msg string
}

// modelsFor is the built-in set with the user's file, the directives of the
// imported packages and those of the package itself. The error is for a
// user's file that cannot be had.
func modelsFor(pass *analysis.Pass) (*rules.Set, []directiveError, error) {
	set, err := modelFlag.set()
	if err != nil {
		return nil, nil, err
	}
	var files []*rules.File
	for _, imp := range pass.Pkg.Imports() {
		var f PkgFact
		if pass.ImportPackageFact(imp, &f) && f.Stub != "" {
			if file, err := rules.Parse(imp.Path(), []byte(f.Stub)); err == nil {
				files = append(files, file)
			}
		}
	}
	var errs []directiveError
	for _, f := range pass.Files {
		if !rules.HasDirectives(f) {
			continue
		}
		file, list := set.ParseFiles(pass.Fset, pass.Pkg.Path(), pass.Files)
		for _, e := range list {
			errs = append(errs, directiveError{posOfLine(pass, e.Pos), fmt.Sprintf("bad directive: got %s, expected %s", e.Got, e.Want)})
		}
		files = append(files, file)
		break
	}
	if len(files) == 0 {
		return set, errs, nil
	}
	more, _ := set.With(files...)
	return more, errs, nil
}

// posOfLine finds the token.Pos of a resolved position.
func posOfLine(pass *analysis.Pass, p token.Position) token.Pos {
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.FileStart)
		if pass.Fset.Position(f.FileStart).Filename != p.Filename && tf.Name() != p.Filename {
			continue
		}
		pos := f.Package
		for _, g := range f.Comments {
			for _, c := range g.List {
				if pass.Fset.Position(c.Pos()).Line == p.Line {
					pos = c.Pos()
				}
			}
		}
		return pos
	}
	return pass.Files[0].Package
}

// directiveStub renders the package's own directives as a stub file, for the
// packages that import it.
func directiveStub(pass *analysis.Pass) string {
	var buf bytes.Buffer
	for _, f := range pass.Files {
		if !rules.HasDirectives(f) {
			continue
		}
		writeLoose(&buf, f)
		for _, d := range f.Decls {
			writeStub(&buf, pass, d)
		}
	}
	if buf.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("//gpumem:package %s\npackage %s\n%s", pass.Pkg.Path(), pass.Pkg.Name(), buf.String())
}

// writeLoose renders the directives that stand in comments of their own.
//
//	//gpumem:class my.buf noun="staging buffer" verb=returned
func writeLoose(buf *bytes.Buffer, f *ast.File) {
	doc := map[*ast.CommentGroup]bool{f.Doc: true}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc[d.Doc] = true
		case *ast.GenDecl:
			doc[d.Doc] = true
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					doc[ts.Doc] = true
				}
			}
		}
	}
	for _, g := range f.Comments {
		if doc[g] {
			continue
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//gpumem:class ") {
				fmt.Fprintf(buf, "\n%s\n", c.Text)
			}
		}
	}
}

func writeStub(buf *bytes.Buffer, pass *analysis.Pass, d ast.Decl) {
	doc := func(g *ast.CommentGroup) bool {
		any := false
		if g == nil {
			return false
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//gpumem:") {
				fmt.Fprintln(buf, c.Text)
				any = true
			}
		}
		return any
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		buf.WriteByte('\n')
		if doc(d.Doc) {
			sig := *d
			sig.Doc, sig.Body = nil, nil
			printer.Fprint(buf, token.NewFileSet(), &sig)
			buf.WriteByte('\n')
		}
	case *ast.GenDecl:
		if d.Tok != token.TYPE {
			return
		}
		for _, spec := range d.Specs {
			ts := spec.(*ast.TypeSpec)
			buf.WriteByte('\n')
			marked := doc(d.Doc) || doc(ts.Doc)
			if it, ok := ts.Type.(*ast.InterfaceType); ok && hasDirective(it) {
				fmt.Fprintf(buf, "type %s interface {\n", ts.Name.Name)
				for _, m := range it.Methods.List {
					if ft, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && doc(m.Doc) {
						var sig bytes.Buffer
						printer.Fprint(&sig, token.NewFileSet(), ft)
						fmt.Fprintf(buf, "%s%s\n", m.Names[0].Name, strings.TrimPrefix(sig.String(), "func"))
					}
				}
				buf.WriteString("}\n")
			} else if marked {
				fmt.Fprintf(buf, "type %s struct{}\n", ts.Name.Name)
			}
		}
	}
}

// hasDirective reports whether a method of an interface has a directive.
func hasDirective(it *ast.InterfaceType) bool {
	for _, m := range it.Methods.List {
		if m.Doc == nil {
			continue
		}
		for _, c := range m.Doc.List {
			if strings.HasPrefix(c.Text, "//gpumem:") {
				return true
			}
		}
	}
	return false
}

// modelFlag is the value of the flag models: a stub file and the hash of its
// content, without which go vet would answer from its cache after a change.
var modelFlag = new(modelsValue)

type modelsValue struct {
	mu   sync.Mutex
	text string
	got  *rules.Set
	err  error
}

func (m *modelsValue) String() string { return m.text }

// Set takes PATH, PATH@sha256:HEX or the text of a stub file itself, which is
// told by its first line. A driver that allows no file beside the sources
// (nogo's sandbox, golangci-lint's settings) hands over the text.
func (m *modelsValue) Set(s string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text, m.got, m.err = s, nil, nil
	return nil
}

func (m *modelsValue) set() (*rules.Set, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.text == "" {
		return builtinModels(), nil
	}
	if m.got == nil && m.err == nil {
		m.got, m.err = loadModels(m.text)
	}
	if m.err != nil {
		return builtinModels(), m.err
	}
	return m.got, nil
}

// isStubText reports whether s is the text of a stub file. No path has line
// breaks in it, and a stub file has at least its package line and one more.
func isStubText(s string) bool { return strings.Contains(strings.TrimSpace(s), "\n") }

// CheckModels reports what is wrong with a value of the flag models. go vet
// shows one error of a package at random, so the vet tool asks beforehand.
func CheckModels(value string) error {
	_, err := loadModels(value)
	return err
}

func loadModels(s string) (*rules.Set, error) {
	if isStubText(s) {
		f, err := rules.Parse("models", []byte(s))
		if err != nil {
			return nil, err
		}
		return builtinModels().With(f)
	}
	path, sum, hashed := strings.Cut(s, "@sha256:")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("models file cannot be read: %v", err)
	}
	if got := sha256.Sum256(data); hashed && hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("models file %s has changed since the run began; run again", path)
	}
	f, err := rules.Parse(path, data)
	if err != nil {
		return nil, err
	}
	return builtinModels().With(f)
}

var builtinModels = rules.Default
