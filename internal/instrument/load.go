// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// A pkg is what go list says of a package, or of its variant for tests.
type pkg struct {
	ImportPath      string
	Name            string
	Dir             string
	Standard        bool
	DepOnly         bool
	ForTest         string
	Export          string // file with the types of what it exports
	GoFiles         []string
	CgoFiles        []string
	CompiledGoFiles []string
	TestGoFiles     []string
	XTestGoFiles    []string
	Imports         []string
	ImportMap       map[string]string
	Module          *module
	Error           *listError
	DepsErrors      []*listError
}

type module struct {
	Path      string
	Version   string
	Dir       string
	GoMod     string
	GoVersion string // the go line
	Main      bool
	Replace   *module
}

// old reports whether a module's go line is older than type parameters. One
// without a go line is taken for Go 1.16.
func (m *module) old() bool {
	return m != nil && version.Compare("go"+cmp.Or(m.GoVersion, "1.16"), "go1.18") < 0
}

type listError struct {
	Pos string
	Err string
}

const listFields = "-json=ImportPath,Name,Dir,Standard,DepOnly,ForTest,Export,GoFiles,CgoFiles,CompiledGoFiles,TestGoFiles,XTestGoFiles,Imports,ImportMap,Module,Error,DepsErrors"

// path is the import path without the name of a test variant.
func (p *pkg) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// user reports whether the package belongs to a module that is worked on.
func (p *pkg) user() bool { return p.Module != nil && p.Module.Main }

// library is what a package belongs to: its module.
func (p *pkg) library() string {
	if p.Module == nil {
		return p.path() // a program without a module, or vendored without its list
	}
	return p.Module.Path
}

// command prepares the go command in the plan's directory and environment.
func (b *builder) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.plan.Dir
	cmd.Env = b.env
	return cmd
}

// load lists the packages that the patterns match, for tests, and all that they
// are built from.
func (b *builder) load(ctx context.Context) error {
	args := append([]string{"list", "-e", "-deps", "-test", "-compiled", "-export", listFields}, b.listFlags()...)
	args = append(append(args, "--"), b.plan.Patterns...)
	cmd := b.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && stdout.Len() == 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("go list: %s", firstLine(stderr.String(), err))
	}
	dec := json.NewDecoder(&stdout)
	for {
		p := new(pkg)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list printed what is not its JSON: %w", err)
		}
		b.pkgs = append(b.pkgs, p)
		b.byPath[p.ImportPath] = p
	}
	b.complaints = complaints(stderr.String())
	return ctx.Err()
}

// complaints are what the compiler or cgo said of packages, the first line of each.
func complaints(stderr string) map[string]string {
	list := map[string]string{}
	path := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			path, _, _ = strings.Cut(heading, " ")
			continue
		}
		if path != "" && line != "" && list[path] == "" && !strings.HasPrefix(line, "In file included from ") {
			list[path] = line
		}
	}
	return list
}

func firstLine(text string, err error) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "go: downloading "): // progress
		case strings.HasPrefix(line, "go: ") && strings.HasSuffix(line, ":"): // "errors parsing go.mod:"
		default:
			return strings.TrimPrefix(line, "go: ")
		}
	}
	return err.Error()
}

// A unit is a package whose sources are rewritten: parsed, with its types as
// far as they can be known.
type unit struct {
	pkg     *pkg
	files   []*file
	tpkg    *types.Package
	info    *types.Info
	c       map[string]*cFunc // what cgo made of C's functions; nil if it is no cgo package
	modeled bool              // models speak of its functions
	device  bool              // its C releases what does not come back unseen
}

// parse reads the files of a package that the user or the library wrote.
func (b *builder) parse(p *pkg) (*unit, error) {
	u := &unit{pkg: p}
	for _, list := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range list {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			f, err := b.file(name)
			if err != nil {
				return nil, err
			}
			u.files = append(u.files, f)
		}
	}
	return u, nil
}

// file parses a file, once: the variants of a package share files.
func (b *builder) file(name string) (*file, error) {
	if f := b.files[name]; f != nil {
		return f, nil
	}
	real := name
	if to, ok := b.go_.overlay[name]; ok {
		real = to
	}
	src, err := os.ReadFile(real)
	if err != nil {
		return nil, fmt.Errorf("read a source file: %w", err)
	}
	syntax, err := parser.ParseFile(b.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse a source file: %w", err)
	}
	f := &file{name: name, src: src, syntax: syntax, tok: b.fset.File(syntax.FileStart)}
	b.files[name] = f
	return f, nil
}

// check finds the types of a unit. Errors do not matter: what has no type is
// not rewritten, or rewritten without its help. C is looked up by name.
func (b *builder) check(u *unit) {
	u.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{
		Importer:    &exports{b: b, pkg: u.pkg, seen: map[string]*types.Package{}},
		FakeImportC: true,
		Error:       func(error) {},
		Sizes:       types.SizesFor("gc", b.go_.GOARCH),
	}
	files := make([]*ast.File, len(u.files))
	for i, f := range u.files {
		files[i] = f.syntax
	}
	u.tpkg, _ = conf.Check(u.pkg.path(), b.fset, files, u.info)
}

// exports imports packages from their export data.
type exports struct {
	b    *builder
	pkg  *pkg
	seen map[string]*types.Package
}

func (e *exports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id := path
	if to := e.pkg.ImportMap[path]; to != "" {
		id = to
	}
	if p := e.seen[path]; p != nil && p.Complete() {
		return p, nil
	}
	dep := e.b.byPath[id]
	if dep == nil || dep.Export == "" {
		return nil, fmt.Errorf("no types of %s", id)
	}
	data, ok := e.b.exportData[dep.Export]
	if !ok {
		f, err := os.Open(dep.Export)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r, err := gcexportdata.NewReader(f)
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(r); err != nil {
			return nil, err
		}
		e.b.exportData[dep.Export] = data
	}
	return gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), e.seen, dep.path())
}
