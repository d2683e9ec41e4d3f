// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// ruleTail is how every message ends.
var ruleTail = regexp.MustCompile(`\((GM\d+)\)$`)

// A Finding is one diagnostic, placed in the declaration that holds it.
type Finding struct {
	Rule    string
	Package string // import path
	File    string // base name
	Line    int
	Decl    string // function, "Type.Method", or empty outside functions
	Message string
}

// String is one line for a test log.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Decl, f.Message)
}

// Load type-checks packages of a GOPATH with all their dependencies. gopath is
// a list in the form of the environment variable.
func Load(gopath string, patterns ...string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedModule,
		Env: append(os.Environ(), "GOPATH="+gopath, "GO111MODULE=off", "GOWORK=off",
			"GOFLAGS=", "GOPROXY=off", "CGO_ENABLED=1"),
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	var bad []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			bad = append(bad, err.Error())
		}
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("corpus does not type-check:\n%s", strings.Join(bad, "\n"))
	}
	return pkgs, nil
}

// Analyze runs the analyzers over the packages and gives the findings in the
// packages themselves, sorted by file and line.
func Analyze(analyzers []*analysis.Analyzer, pkgs []*packages.Package) ([]Finding, error) {
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, err
	}
	decls := map[string][]span{}
	seen := map[Finding]bool{}
	var out []Finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %v", act.Package.PkgPath, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			f := Finding{Rule: d.Category, Package: act.Package.PkgPath, File: filepath.Base(pos.Filename), Line: pos.Line, Message: d.Message}
			if m := ruleTail.FindStringSubmatch(d.Message); m != nil {
				f.Rule = m[1]
			}
			if _, ok := decls[pos.Filename]; !ok {
				if decls[pos.Filename], err = spans(pos.Filename); err != nil {
					return nil, err
				}
			}
			f.Decl = declAt(decls[pos.Filename], pos.Line)
			if !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Package != b.Package {
			return a.Package < b.Package
		}
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Message < b.Message
	})
	return out, nil
}

// A span is the lines of one declaration.
type span struct {
	name        string
	first, last int
}

// spans lists the declarations of a source file. It reads the file as written
// and not cgo's version of it, since positions are those of the former.
func spans(filename string) ([]span, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filename, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []span
	for _, d := range f.Decls {
		s := span{first: fset.Position(d.Pos()).Line, last: fset.Position(d.End()).Line}
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.name = d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				s.name = typeName(d.Recv.List[0].Type) + "." + s.name
			}
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					s.name = sp.Name.Name
				case *ast.ValueSpec:
					s.name = sp.Names[0].Name
				}
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// typeName is the name of a receiver's type without star and type parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// declAt names the declaration that holds a line.
func declAt(list []span, line int) string {
	for _, s := range list {
		if s.first <= line && line <= s.last {
			return s.name
		}
	}
	return ""
}
