// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemlint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gpumemlint/gpumemlint"
)

// What golangci-lint asks of a linter that it takes in (its new-linter
// checklist and its form for proposals), as far as a machine can see to it.
// TestPolicyForbidden and TestPolicyModule hold the rest.

// A linked package is one that golangci-lint gets with the plugin.
type linked struct {
	ImportPath, Dir string
	GoFiles         []string
	Standard        bool
	Module          *struct{ Path string }
}

func linkedPackages(t *testing.T) []linked {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Standard,Module", "./gclplugin").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []linked
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// TestChecklistDependencies: "the dependencies must be minimal".
func TestChecklistDependencies(t *testing.T) {
	allowed := map[string]string{
		modulePath:           "the linter",
		"golang.org/x/tools": "go/analysis and go/ssa",
		"golang.org/x/mod":   "what go/packages asks for",
		"golang.org/x/sync":  "what go/packages asks for",
		"github.com/golangci/plugin-module-register": "the interface of plugins",
	}
	for _, p := range linkedPackages(t) {
		if p.Standard {
			continue // no dependency
		}
		if p.Module == nil || allowed[p.Module.Path] == "" {
			t.Errorf("the plugin links %s, which is none of the few modules that it may", p.ImportPath)
		}
	}
}

// readers are the functions that may read a file, with the reason.
var readers = map[string]string{
	"internal/ownership loadModels": "the flag models names a file; the plugin passes text",
	"internal/fix readWritten":      "the user's own source behind what cgo made of it, for suggested fixes",
}

// TestChecklistFiles: "configuration must not rely on external files". Nothing
// that the plugin links opens one.
func TestChecklistFiles(t *testing.T) {
	opens := map[string]bool{"ReadFile": true, "Open": true, "OpenFile": true, "ReadDir": true, "Create": true, "WriteFile": true}
	for _, p := range linkedPackages(t) {
		inner, ours := strings.CutPrefix(p.ImportPath, modulePath+"/")
		if !ours {
			continue
		}
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && readers[inner+" "+fn.Name.Name] != "" {
					continue // as stated
				}
				ast.Inspect(d, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && opens[sel.Sel.Name] {
						t.Errorf("%s: os.%s in what golangci-lint links; hand the content over in a setting", fset.Position(sel.Pos()), sel.Sel.Name)
					}
					return true
				})
			}
		}
	}
}

// TestChecklistAST: "it must not modify the AST". The syntax trees are the same
// before and after an analysis that finds leaks.
func TestChecklistAST(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedModule,
		// Objects are maps, which are printed in any order.
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		},
	}, "./examples/leak")
	if err != nil {
		t.Fatal(err)
	}
	dump := func() []byte {
		var buf bytes.Buffer
		for _, p := range pkgs {
			for _, f := range p.Syntax {
				if err := ast.Fprint(&buf, p.Fset, f, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		return buf.Bytes()
	}
	before := dump()
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	findings := 0
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Error(act.Err)
		}
		findings += len(act.Diagnostics)
	}
	if findings == 0 {
		t.Error("nothing was found in the examples: the comparison says little")
	}
	if !bytes.Equal(before, dump()) {
		t.Error("the analysis has changed the syntax trees")
	}
}

// TestChecklistAnalyzers: "it must use go/analysis", with what its own docs and
// lists show of an analyzer.
func TestChecklistAnalyzers(t *testing.T) {
	list := gpumemlint.Analyzers()
	if err := analysis.Validate(list); err != nil {
		t.Error(err)
	}
	for _, a := range list {
		title, _, _ := strings.Cut(a.Doc, "\n")
		if title == "" || strings.HasSuffix(title, ".") || a.URL == "" {
			t.Errorf("%s: title %q, URL %q: want a title without full stop and a URL", a.Name, title, a.URL)
		}
	}
}

// TestChecklistRepository: a licence with author and year, a readme that tells
// of the use of AI, a .gitignore, and something that tests changes.
func TestChecklistRepository(t *testing.T) {
	for name, want := range map[string][]string{
		"LICENSE":    {"Apache License", "2026 The gpumemlint Authors"},
		"README.md":  {"AI assistance"},
		".gitignore": {"/bin/"},
		".ci/run":    {"go test ./..."},
	} {
		data, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Error(err)
		}
		for _, text := range want {
			if !bytes.Contains(data, []byte(text)) {
				t.Errorf("%s: does not say %q", name, text)
			}
		}
	}
}
