// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// library is a binding with what shadows have to cope with.
const library = `package lib

/*
#include "nowhere.h"
*/
import "C"

import (
	"fmt"
	"errors"
	"fmt"
	str "strings"
	"unsafe"
)

// Mode is a C enumeration.
type Mode C.mode_t

type Kind = C.enum_kind

const (
	Fast  Mode = C.FAST
	Slow       = Mode(C.SLOW)
	Plain      = 3
)

var (
	ErrLost  = errors.New("lost")
	version  = C.version()
	handle   C.handle_t
	callback = func(x int) int { return int(C.twice(C.int(x))) }
)

type Mat struct {
	p    C.Mat
	size [4]C.int
	rect C.struct_Rect
	name str.Builder
}

func init() { C.setup() }

// NewMat makes a matrix.
//
//gpumem:acquire lib.mat result0
func NewMat(rows, cols int) Mat { return Mat{p: C.Mat_New(C.int(rows), C.int(cols))} }

func (m *Mat) Close() error {
	if m.p == nil {
		return fmt.Errorf("closed")
	}
	C.Mat_Close(m.p)
	return nil
}

func (m *Mat) Ptr() C.Mat { return m.p }

func (m *Mat) Data() unsafe.Pointer { return unsafe.Pointer(m.p) }

func (m *Mat) Set(p C.Mat, n C.int) (old C.Mat) {
	old, m.p = m.p, p
	return old
}

func (m *Mat) Each(f func(x int)) {
	for i := 0; i < 3; i++ {
		f(i)
	}
}

type List[T any] struct{ items []T }

func (l *List[T]) Sum() int { return int(C.sum(C.int(len(l.items)))) }

func (l *List[T]) Add(x T) { l.items = append(l.items, x) }

func Map[T, U any](x T, f func(T) U) U { return f(x) }
`

const user = `package user

import "lib"

func use() error {
	m := lib.NewMat(1, 2)
	if m.Ptr() == nil || m.Data() == nil {
		return lib.ErrLost
	}
	var l lib.List[int]
	l.Add(lib.Map(1, func(x int) int { return x + lib.Plain }))
	switch mode := lib.Fast; mode {
	case lib.Fast, lib.Slow:
	}
	return m.Close()
}
`

// TestShadow type-checks a shadow and a package that uses it.
func TestShadow(t *testing.T) {
	for _, bare := range []bool{false, true} {
		t.Run(fmt.Sprintf("bare=%v", bare), func(t *testing.T) { testShadow(t, bare) })
	}
}

func testShadow(t *testing.T, bare bool) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lib.go"), []byte(library), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &Package{ImportPath: "lib", Name: "lib", Dir: dir, CgoFiles: []string{"lib.go"}, CXXFiles: []string{"lib.cpp"}}
	s, err := newShadow(p, map[string]string{"errors": "errors", "fmt": "fmt", "strings": "strings", "unsafe": "unsafe"}, bare)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "lib.cpp")}; !slices.Equal(s.drop, want) {
		t.Errorf("dropped files %v, want %v", s.drop, want)
	}
	if _, ok := s.files[filepath.Join(dir, asmName)]; !ok {
		t.Error("no assembly file, without which the compiler wants bodies")
	}
	fset := token.NewFileSet()
	imports := mapImporter{}
	check := func(path string, src []byte) *types.Package {
		t.Helper()
		f, err := parser.ParseFile(fset, path+".go", src, 0)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, src)
		}
		conf := types.Config{Importer: imports, GoVersion: "go1.18"}
		pkg, err := conf.Check(path, fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, src)
		}
		imports[path] = pkg
		return pkg
	}
	check("errors", []byte("package errors\nfunc New(string) error\n"))
	check("fmt", []byte("package fmt\n"))
	check("strings", []byte("package strings\ntype Builder struct{}\n"))
	src := s.files[filepath.Join(dir, "lib.go")]
	pkg := check("lib", src)
	check("user", []byte(user))
	if pkg.Scope().Lookup("init") != nil {
		t.Error("init is left")
	}
	got, want := functions(t, src), functions(t, []byte(library))
	for name, fn := range want {
		if name == "init" {
			continue
		}
		shadow, ok := got[name]
		if !ok {
			t.Errorf("%s is gone", name)
			continue
		}
		if shadow.position != fn.position {
			t.Errorf("%s is at %s, was at %s", name, shadow.position, fn.position)
		}
		if shadow.directive != fn.directive {
			t.Errorf("%s has the directive %q, had %q", name, shadow.directive, fn.directive)
		}
		keeps := fn.generic || !fn.callsC && !bare
		if shadow.body != keeps {
			t.Errorf("%s has a body: %v, want %v", name, shadow.body, keeps)
		}
	}
}

// A function is what the test looks at in one.
type function struct {
	position, directive   string
	body, callsC, generic bool
}

func functions(t *testing.T, src []byte) map[string]function {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "lib.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]function{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		// The position of the results tells whether columns stay behind C names.
		at := fn.Name.Pos()
		if fn.Type.Results != nil {
			at = fn.Type.Results.Pos()
		}
		x := function{position: fset.Position(at).String(), body: fn.Body != nil, generic: isGeneric(fn)}
		if fn.Body != nil {
			x.callsC = usesC(fn.Body)
		}
		if fn.Doc != nil {
			for _, c := range fn.Doc.List {
				if strings.HasPrefix(c.Text, "//gpumem:") {
					x.directive = c.Text
				}
			}
		}
		list[fn.Name.Name] = x
	}
	return list
}

// mapImporter knows packages that were checked before it is asked.
type mapImporter map[string]*types.Package

func (m mapImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// TestMirror checks that a mirror is the module with one package exchanged.
func TestMirror(t *testing.T) {
	module, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module lib\n", "root.go": "package lib\n", "other/other.go": "package other\n",
		"sub/cv/cv.go": "package cv\n", "sub/cv/cv.cpp": "", "sub/cv/cv.h": "", "sub/cv/old_windows.go": "package cv\n",
		"sub/cv/deep/deep.go": "package deep\n", "sub/near/near.go": "package near\n",
	} {
		path := filepath.Join(module, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cv := filepath.Join(module, "sub", "cv")
	m := &mirror{module: &Module{Path: "lib", Version: "v1.0.0", Dir: module}, shadows: map[string]*shadow{
		cv: {files: map[string][]byte{filepath.Join(cv, "cv.go"): []byte("package cv // shadow\n")}},
	}}
	for range 2 { // the second time everything is there
		root, err := m.write(out)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"go.mod": "module lib\n", "root.go": "package lib\n", "other/other.go": "package other\n",
			"sub/cv/cv.go": "package cv // shadow\n", "sub/cv/cv.h": "", "sub/cv/deep/deep.go": "package deep\n", "sub/near/near.go": "package near\n",
		} {
			got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil || string(got) != want {
				t.Errorf("%s holds %q, error %v; want %q", name, got, err, want)
			}
		}
		for _, name := range []string{"sub/cv/cv.cpp", "sub/cv/old_windows.go"} {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
				t.Errorf("%s is there", name)
			}
		}
	}
	if data, err := os.ReadFile(filepath.Join(cv, "cv.go")); err != nil || string(data) != "package cv\n" {
		t.Errorf("the module itself was changed: %q, %v", data, err)
	}
}
