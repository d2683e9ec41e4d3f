// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVerify compares every stub with the source of the library: that the name
// is there, and its signature as written. Only declarations are read, nothing
// is compiled. A library that moved has several import paths: an entry must be
// in one of them exactly, and where the others differ, it must still fit.
func TestVerify(t *testing.T) {
	files := Default().Files()
	dirs := download(t, files)
	for _, f := range files {
		if f.C || !slices.ContainsFunc(f.Packages, func(p Package) bool { return p.Module != "" }) {
			continue // no Go source to compare with
		}
		t.Run(strings.TrimSuffix(filepath.Base(f.Name), ".gpumem"), func(t *testing.T) {
			var sources []*source
			for _, p := range f.Packages {
				if p.Module == "" {
					continue // named for its path only
				}
				dir := dirs[p.Module+"@"+p.Version]
				if dir == "" {
					t.Skipf("%s@%s is not to be had from the module proxy", p.Module, p.Version)
				}
				src, err := readSource(filepath.Join(dir, strings.TrimPrefix(p.Path, p.Module)))
				if err != nil {
					t.Errorf("%s: %v", p.Path, err)
					continue
				}
				sources = append(sources, src)
			}
			for _, typ := range f.Types {
				if err := verifyType(sources, typ); err != nil {
					t.Error(err)
				}
			}
			for _, fn := range f.Funcs {
				if err := verifyFunc(sources, fn); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// download fetches the modules that the stubs name, in one run of the go
// command, and returns their directories.
func download(t *testing.T, files []*File) map[string]string {
	var mods []string
	for _, f := range files {
		for _, p := range f.Packages {
			if m := p.Module + "@" + p.Version; p.Module != "" && !slices.Contains(mods, m) {
				mods = append(mods, m)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, mods...)...)
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "go.mod"), []byte("module verify\n\ngo 1.25.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, _ := cmd.Output() // the status tells of any module; the output of each
	dirs := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Version, Dir, Error string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("output of go mod download: %v", err)
		}
		if m.Error != "" {
			t.Logf("%s@%s: %s", m.Path, m.Version, m.Error)
			continue
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
	if len(dirs) == 0 {
		t.Skip("the module proxy cannot be reached, so that the stubs cannot be compared with the libraries")
	}
	return dirs
}

// A source is the declarations of one package, under Name or Type.Method. One
// name may have several, for several systems or build tags.
type source struct {
	funcs    map[string][]*shape
	vars     map[string]bool
	types    map[string]bool
	embedded map[string][]string // interface or struct → what it embeds
}

func readSource(dir string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	src := &source{map[string][]*shape{}, map[string]bool{}, map[string]bool{}, map[string][]string{}}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			src.decl(d)
		}
	}
	return src, nil
}

func (src *source) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = baseType(types.ExprString(d.Recv.List[0].Type)) + "." + name
		}
		src.funcs[name] = append(src.funcs[name], shapeOf(d.Type))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					src.vars[n.Name] = true
				}
			case *ast.TypeSpec:
				src.typ(spec)
			}
		}
	}
}

func (src *source) typ(spec *ast.TypeSpec) {
	name := spec.Name.Name
	src.types[name] = true
	var list *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.InterfaceType:
		list = typ.Methods
	case *ast.StructType:
		list = typ.Fields
	default:
		return
	}
	for _, m := range list.List {
		if len(m.Names) == 0 {
			src.embedded[name] = append(src.embedded[name], baseType(types.ExprString(m.Type)))
			continue
		}
		if sig, ok := m.Type.(*ast.FuncType); ok {
			key := name + "." + m.Names[0].Name
			src.funcs[key] = append(src.funcs[key], shapeOf(sig))
		}
	}
}

func shapeOf(typ *ast.FuncType) *shape {
	sh := &shape{params: fields(typ.Params), results: fields(typ.Results)}
	for _, list := range [][]Param{sh.params, sh.results} {
		for i := range list {
			list[i].Type = normalType(list[i].Type)
		}
	}
	return sh
}

// find looks a function up, also among what a type embeds.
func (src *source) find(local string) []*shape {
	if list := src.funcs[local]; list != nil {
		return list
	}
	typ, method, ok := strings.Cut(local, ".")
	if !ok {
		return nil
	}
	for _, e := range src.embedded[typ] {
		if list := src.find(e + "." + method); list != nil {
			return list
		}
	}
	return nil
}

// verifyType looks for a type and one of its release methods.
func verifyType(sources []*source, typ *Type) error {
	name := typ.name()
	for _, src := range sources {
		if src.types[name] && (len(typ.Releases) == 0 || slices.ContainsFunc(typ.Releases, func(m string) bool {
			return src.find(name+"."+m) != nil || m == "Close" && slices.Contains(src.embedded[name], "io.Closer")
		})) {
			return nil
		}
	}
	return fmt.Errorf("%s: no type %s with one of the methods %q in the library", typ.Pos, name, typ.Releases)
}

// verifyFunc looks for a function under each of its names.
func verifyFunc(sources []*source, fn *Func) error {
	if fn.Match != nil {
		for _, src := range sources {
			for name, shapes := range src.funcs {
				if patternFits(fn, name, shapes) {
					return nil
				}
			}
		}
		return fmt.Errorf("%s: nothing in the library matches %s with that signature", fn.Pos, fn.Match)
	}
	for _, key := range fn.keys() {
		local := localKey(key, fn.pkgPath())
		exact := false
		var near []string
		for _, src := range sources {
			shapes := src.find(local)
			if shapes == nil && src.vars[local] {
				exact = true // a func variable: the methods it stands for are checked
			}
			for _, sh := range shapes {
				if fn.same(sh) {
					exact = true
				} else if diff := fn.misfit(sh); diff != "" {
					return fmt.Errorf("%s: %s does not fit %s: %s", fn.Pos, local, sh, diff)
				} else {
					near = append(near, sh.String())
				}
			}
		}
		switch {
		case exact:
		case near != nil:
			return fmt.Errorf("%s: %s is %s in the library", fn.Pos, local, strings.Join(near, " or "))
		default:
			return fmt.Errorf("%s: no %s in the library", fn.Pos, local)
		}
	}
	return nil
}

func patternFits(fn *Func, name string, shapes []*shape) bool {
	recv, method, ok := strings.Cut(name, ".")
	if !ok {
		recv, method = "", name
	}
	want := baseType(fn.Recv.Type)
	if want != recv && (want != "_" || recv == "") || !fn.Match.MatchString(method) {
		return false
	}
	return slices.ContainsFunc(shapes, func(sh *shape) bool {
		return fn.covers(sh)
	})
}

// same reports whether the stub writes the signature as the library does. A
// parameter that the library does not name may have any name.
func (f *Func) same(sh *shape) bool {
	match := func(a, b Param) bool {
		return (b.Name == "" || b.Name == "_" || a.Name == b.Name) && normalType(a.Type) == b.Type
	}
	return slices.EqualFunc(f.Params, sh.params, match) &&
		slices.EqualFunc(f.Results, sh.results, func(a, b Param) bool { return normalType(a.Type) == b.Type })
}

// misfit says why bind would not be able to use f for a signature.
func (f *Func) misfit(sh *shape) string {
	m := binding{f: f, real: sh}
	for _, e := range f.Effects {
		m.place(e.Place)
		m.place(e.Of)
		switch e.When.Kind {
		case CondArg, CondElems:
			m.param(e.When.Arg)
		case CondResult:
			m.result(e.When.Arg)
		}
	}
	if m.failed {
		return "a parameter or result that the model speaks of is not there"
	}
	return ""
}

// TestVerifyFinds sees to it that TestVerify would find what it looks for.
func TestVerifyFinds(t *testing.T) {
	dir := t.TempDir()
	lib := "package lib\n\ntype Buf struct{}\n\nfunc New(n int) (*Buf, error)\nfunc (b *Buf) Free()\nvar Fill = fill\n"
	if err := os.WriteFile(filepath.Join(dir, "lib.go"), []byte(lib), 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := readSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	for stub, good := range map[string]bool{
		"func New(n int) (*Buf, error)":          true,
		"func New(m int) (*Buf, error)":          false, // name
		"func New(n int64) (*Buf, error)":        false, // type
		"func New(n int) *Buf":                   false, // number of results
		"func Neu(n int) (*Buf, error)":          false,
		"func (b *Buf) New(n int) (*Buf, error)": false,
		"func (b *Buf) Free()":                   true,
		"func (b *Buf) Free() error":             false,
		"func Fill()":                            true, // a func variable
		"//gpumem:match N.*\nfunc _(n int) *Buf": true,
		"//gpumem:match N.*\nfunc _(m int) *Buf": false,
		"//gpumem:match O.*\nfunc _(n int) *Buf": false,
	} {
		f, err := Parse("lib.gpumem", []byte("//gpumem:package lib\npackage lib\n\n//gpumem:use\n"+stub+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := verifyFunc([]*source{src}, f.Funcs[0]); (err == nil) != good {
			t.Errorf("%s: %v", stub, err)
		}
	}
}
