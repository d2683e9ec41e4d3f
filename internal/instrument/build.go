// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// builder carries a Plan out.
type builder struct {
	plan      Plan
	env       []string
	go_       goEnv
	set       *rules.Set      // the plan's models and the directives in the sources
	annotated map[string]bool // packages with directives

	pkgs       []*pkg
	byPath     map[string]*pkg
	complaints map[string]string
	exportData map[string][]byte

	fset  *token.FileSet
	files map[string]*file
	units []*unit

	table    ledger.Table
	classes  map[string]int
	points   map[string]bool // injections that were placed
	cNumbers map[string]int  // package and C function → its number in the table
	work     *Workspace
}

// Build rewrites what the plan asks for into a new temporary folder. The error is for a plan
// that cannot be carried out at all; packages that cannot be proved are
// marked in the workspace, which the caller closes. If ctx ends, so does
// Build, and leaves nothing behind.
func Build(ctx context.Context, plan Plan) (*Workspace, error) {
	b := &builder{
		plan: plan, env: plan.Env, set: plan.Models,
		byPath: map[string]*pkg{}, exportData: map[string][]byte{},
		fset: token.NewFileSet(), files: map[string]*file{},
		classes: map[string]int{}, points: map[string]bool{}, cNumbers: map[string]int{},
	}
	if b.env == nil {
		b.env = os.Environ()
	}
	if b.set == nil {
		b.set = rules.Default()
	}
	if len(b.plan.Patterns) == 0 {
		b.plan.Patterns = []string{"."}
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("the go command is not on PATH; install Go from https://go.dev/dl or add it to PATH")
	}
	if err := b.readEnv(ctx); err != nil {
		return nil, err
	}
	if err := b.load(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gpumemlint-test-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w; set TMPDIR to a folder that can be written", err)
	}
	b.work = &Workspace{dir: dir, plan: b.plan, env: b.env, Skipped: map[string]string{}, overlay: map[string]string{}}
	if err := b.rewrite(ctx); err != nil {
		b.work.Close() // the first error says what is wrong
		return nil, err
	}
	b.work.Models = b.set
	return b.work, nil
}

// rewrite does everything after the packages are known.
func (b *builder) rewrite(ctx context.Context) error {
	b.work.Packages = b.roots()
	if err := b.select_(ctx); err != nil {
		return err
	}
	for _, u := range b.units {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.instrument(u)
	}
	for _, inj := range b.plan.Injections {
		if !b.points[inj.ID] && b.work.Skipped[inj.ID] == "" {
			b.work.Skipped[inj.ID] = fmt.Sprintf("no package under test has the file %s", inj.File)
		}
	}
	for _, p := range b.plan.Probes {
		if !b.points[p.ID] && b.work.Skipped[p.ID] == "" {
			b.work.Skipped[p.ID] = fmt.Sprintf("no package under test has the file %s", p.File)
		}
	}
	slices.SortFunc(b.work.Notes, func(x, y Note) int {
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Message, y.Message))
	})
	b.work.Notes = slices.Compact(b.work.Notes)
	return b.write(ctx)
}

// roots are the packages that the patterns match, with what keeps them from
// being tested.
func (b *builder) roots() []Package {
	var list []Package
	for _, p := range b.pkgs {
		if p.DepOnly || p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // not asked for, or made by the go command
		}
		r := Package{Path: p.ImportPath, Dir: p.Dir, HasTest: len(p.TestGoFiles)+len(p.XTestGoFiles) > 0}
		variants := []*pkg{p, b.byPath[p.ImportPath+" ["+p.ImportPath+".test]"], b.byPath[p.ImportPath+"_test ["+p.ImportPath+".test]"]}
		for _, v := range variants {
			if r.Problem == "" && v != nil {
				r.Problem = b.problem(v)
			}
		}
		if r.Problem == "" && !r.HasTest {
			r.Problem = NoTests
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(x, y Package) int { return strings.Compare(x.Path, y.Path) })
	return list
}

// problem is why a package cannot be built, in one line.
func (b *builder) problem(p *pkg) string {
	switch {
	case p.Error != nil:
		return p.Error.problem(p.path())
	case len(p.DepsErrors) > 0:
		return p.DepsErrors[0].problem(p.path())
	case b.complaints[p.path()] != "" && p.Export == "":
		return "does not compile: " + b.complaints[p.path()]
	case p.Export == "" && !p.Standard && len(p.GoFiles)+len(p.CgoFiles) > 0:
		for _, dep := range p.Imports {
			if to := p.ImportMap[dep]; to != "" {
				dep = to
			}
			if d := b.byPath[dep]; d != nil && d.Export == "" && b.complaints[d.path()] != "" {
				return "does not compile: it imports " + d.path() + ": " + b.complaints[d.path()]
			}
		}
		return "does not compile: an import of it does not"
	}
	return ""
}

// problem is what an error of go list means for a package, in one line. What
// the compiler says comes as
//
//	# example.com/m/dev [example.com/m/dev.test]
//	dev/dev.go:3:9: undefined: x
func (e *listError) problem(path string) string {
	heading, rest, _ := strings.Cut(e.Err, "\n")
	if of, ok := strings.CutPrefix(heading, "# "); ok {
		of, _, _ = strings.Cut(of, " ")
		message, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		if of == path {
			return "does not compile: " + message
		}
		return "does not compile: it imports " + of + ": " + message
	}
	message := oneLine(e.Err)
	if e.Pos != "" {
		message = e.Pos + ": " + message
	}
	return "cannot be loaded: " + message
}

// select_ chooses the packages to rewrite, and parses and type-checks them: those of the
// user's modules, modelled libraries, packages with directives, what imports
// these (it may implement their interfaces), and everything with raw cgo.
func (b *builder) select_(ctx context.Context) error {
	b.directives()
	modeled := b.set.Package
	b.table.Libraries = map[string]string{}
	libraries := map[string]bool{}
	for _, p := range b.pkgs {
		if !p.Standard && b.isLibrary(p) {
			libraries[p.library()] = true
		}
	}
	for _, p := range b.pkgs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !p.Standard && p.ForTest == "" && libraries[p.library()] {
			b.table.Libraries[p.path()] = p.library()
		}
		if p.Standard || p.Dir == "" || strings.HasSuffix(p.ImportPath, ".test") || b.superseded(p) {
			continue // nothing of the user's in it, or another variant has all its files
		}
		near := modeled(p.path()) || slices.ContainsFunc(p.Imports, modeled) || len(p.CgoFiles) > 0
		if !p.user() && !near {
			continue // cannot touch a resource
		}
		u, err := b.parse(p)
		if err != nil {
			b.note(p, oneLine(err.Error()))
			continue // the go command says more of it when the tests are built
		}
		u.modeled = modeled(p.path())
		for _, f := range u.files {
			f.old = p.Module.old()
		}
		b.check(u)
		if len(p.CgoFiles) > 0 {
			if u.c, err = b.readC(p); err != nil {
				b.note(p, oneLine(err.Error()))
			}
		}
		b.units = append(b.units, u)
	}
	return nil
}

// superseded reports whether a variant that has all files of p, and those of
// its tests, is in the list.
func (b *builder) superseded(p *pkg) bool {
	if p.ForTest == "" {
		return b.byPath[p.ImportPath+" ["+p.ImportPath+".test]"] != nil
	}
	return p.path() != p.ForTest && p.path() != p.ForTest+"_test" // recompiled for another package's test
}

// isLibrary reports whether a package's own calls of its functions are its own
// affair. Those of a user's package with directives are not.
func (b *builder) isLibrary(p *pkg) bool {
	return b.set.Package(p.path()) && !(p.user() && b.annotated[p.path()])
}

// directives reads the //gpumem: directives that stand in the sources.
func (b *builder) directives() {
	b.annotated = map[string]bool{}
	var files []*rules.File
	for _, p := range b.pkgs {
		if p.Standard || p.Dir == "" || strings.HasSuffix(p.ImportPath, ".test") || b.superseded(p) {
			continue
		}
		var syntax []*ast.File
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			name = filepath.Join(p.Dir, name)
			src, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(src, []byte("//gpumem:")) {
				continue // said when the package is parsed
			}
			f, err := b.file(name)
			if err != nil {
				continue // likewise
			}
			syntax = append(syntax, f.syntax)
		}
		if len(syntax) == 0 {
			continue
		}
		file, _ := b.set.ParseFiles(b.fset, p.path(), syntax) // the linter tells of bad ones
		files = append(files, file)
		b.annotated[p.path()] = true
	}
	if len(files) > 0 {
		more, _ := b.set.With(files...)
		b.set = more
	}
}

func (b *builder) note(p *pkg, message string) {
	b.work.Notes = append(b.work.Notes, Note{Package: p.path(), Message: message})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// instrument rewrites one package.
func (b *builder) instrument(u *unit) {
	if u.pkg.user() {
		for _, f := range u.files {
			f.wanted = b.wanted(u, f)
		}
	}
	b.definitions(u)
	b.variables(u)
	// What a library's own packages do with C is its own affair, as what its
	// modelled package does is.
	if u.c != nil && !u.modeled && (u.pkg.user() || b.table.Libraries[u.pkg.path()] == "") {
		b.rawCalls(u)
	}
	if !u.pkg.user() {
		return // tests, loops and findings are the user's
	}
	for _, f := range u.files {
		if strings.HasSuffix(f.name, "_test.go") {
			b.tests(f)
		}
		b.loops(u, f)
	}
	b.injections(u)
	b.probes(u)
}
