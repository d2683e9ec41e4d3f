// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppress_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/suppress"
)

// silenced returns the lines on which a call to lose is silenced for a
// finding of GM101.
func silenced(t *testing.T, src string) []int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "lose" {
			if suppress.Matches(fset, f, call.Pos(), "gpumemlint", "GM101") {
				lines = append(lines, fset.Position(call.Pos()).Line)
			}
		}
		return true
	})
	return lines
}

func TestMatches(t *testing.T) {
	const head = "package p\n\nfunc lose() {}\n\n" // four lines
	for _, tt := range []struct {
		name string
		src  string
		want []int
	}{
		{"same line", head + "func f() {\n\tlose() //nolint:GM101 // kept on purpose\n\tlose()\n}\n", []int{6}},
		{"linter name", head + "func f() {\n\tlose() //nolint:gpumemlint\n}\n", []int{6}},
		{"plain", head + "func f() {\n\tlose() //nolint\n}\n", []int{6}},
		{"plain with reason", head + "func f() {\n\tlose() //nolint // reason\n}\n", []int{6}},
		{"all", head + "func f() {\n\tlose() //nolint:all\n}\n", []int{6}},
		{"list", head + "func f() {\n\tlose() //nolint:errcheck, gm101 // reason\n}\n", []int{6}},
		{"another linter", head + "func f() {\n\tlose() //nolint:errcheck // GM101\n}\n", nil},
		{"another rule", head + "func f() {\n\tlose() //nolint:GM102\n}\n", nil},
		{"another word", head + "func f() {\n\tlose() //nolinting\n}\n", nil},
		{"names nothing", head + "func f() {\n\tlose() //nolint:\n}\n", nil},
		{"line above", head + "func f() {\n\t//nolint:GM101 // reason\n\tlose()\n\tlose()\n}\n", []int{7}},
		{"line above, another column", head + "func f() {\n//nolint:GM101\n\tlose()\n}\n", nil},
		{"statement above", head + "func f() {\n\t//nolint:GM101\n\tif true {\n\t\tlose()\n\t}\n\tlose()\n}\n", []int{8}},
		{"trailing comment covers its line only", head + "func f() {\n\tif true { //nolint:GM101\n\t\tlose()\n\t}\n}\n", nil},
		{"function", head + "//nolint:GM101\nfunc f() {\n\tlose()\n\tlose()\n}\n\nfunc g() { lose() }\n", []int{7, 8}},
		{"doc comment", head + "// f loses.\n//\n//nolint:GM101 // reason\nfunc f() {\n\tlose()\n}\n", []int{9}},
		{"file", "//nolint:gpumemlint // generated\npackage p\n\nfunc lose() {}\nfunc f() { lose() }\nfunc g() { lose() }\n", []int{5, 6}},
		{"not on the line above package", "//nolint:gpumemlint\n\npackage p\n\nfunc lose() {}\nfunc f() { lose() }\n", nil},
		{"cgo, positions of the author's file", "// made by cgo\n\n//line c.go:1:1\npackage p\nfunc lose() {}\nfunc f() {\n\t//nolint:GM101\n\tlose()\n}\n", []int{5}},
		{"cgo, rewritten call", "package p\n\n//line c.go:10:1\nfunc lose() {}\nfunc f() {\n\t//nolint:GM101\n\t(/*line :13:2*/func() { lose() }/*line :13:8*/)()\n\tlose()\n}\n", []int{13}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := silenced(t, tt.src); !slices.Equal(got, tt.want) {
				t.Errorf("silenced lines %v, want %v in:\n%s", got, tt.want, tt.src)
			}
		})
	}
}

// TestAll checks what is read of each directive.
func TestAll(t *testing.T) {
	const src = `package a

//nolint:GM101,errcheck // because
var a int //nolint

var b int //nolint:all // everything
var c int //nolint // plain
// nolint because
var d int //nolintlint
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []suppress.Directive{
		{Names: []string{"gm101", "errcheck"}, Reason: "because", Pos: token.Position{Line: 3}},
		{Pos: token.Position{Line: 4}},
		{Reason: "everything", Pos: token.Position{Line: 6}},
		{Reason: "plain", Pos: token.Position{Line: 7}},
		{Reason: "because", Pos: token.Position{Line: 8}},
	}
	got := suppress.All(fset, f)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, d := range got {
		if !slices.Equal(d.Names, want[i].Names) || d.Reason != want[i].Reason || d.Pos.Line != want[i].Pos.Line {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
	}
}

// TestFind checks that each directive which silences a finding is named.
func TestFind(t *testing.T) {
	const src = `package a

//nolint:gpumemlint // the function
func f() {
	//nolint:GM102 // another rule
	lose() //nolint:GM101 // the line
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pos := fset.File(f.FileStart).LineStart(6) + 1
	var lines []int
	for _, d := range suppress.Find(fset, f, pos, "gpumemlint", "GM101") {
		lines = append(lines, d.Pos.Line)
	}
	if want := []int{3, 6}; !slices.Equal(lines, want) {
		t.Errorf("directives on lines %v, want %v", lines, want)
	}
}
