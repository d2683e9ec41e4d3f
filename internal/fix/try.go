// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// passes are the analyzers whose findings a fix must not add to.
var passes struct {
	sync.Mutex
	list []*analysis.Analyzer
}

// Register names an analyzer of this linter, for fixes to be tried with. What a
// program links is what it tries with, so that a driver with a few of the
// passes offers what holds for those. It may be called by package-level
// initialisers only.
func Register(a *analysis.Analyzer) {
	passes.Lock()
	defer passes.Unlock()
	passes.list = append(passes.list, a)
}

// Registered returns the analyzers that fixes are tried with, by name.
func Registered() []*analysis.Analyzer {
	passes.Lock()
	defer passes.Unlock()
	list := slices.Clone(passes.list)
	slices.SortFunc(list, func(a, b *analysis.Analyzer) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// outcome is what an analysis of a variant has found.
type outcome struct {
	verdicts *ownership.Result
	count    map[string]int // findings by what they say, without lines
	said     map[where][]string
	function map[string]string // the function that a finding is in
}

// where a finding stands, and what it is about.
type where struct{ pos, acquired token.Pos }

// analyse runs the engine and the passes on a variant. The facts of other
// packages are those that the engine has had; what the variant exports stays with
// it.
func (v *variant) analyse() (*outcome, error) { return v.judge(nil) }

// judge runs the passes on what the engine has found in a variant, or on what it
// finds.
func (v *variant) judge(found *ownership.Result) (*outcome, error) {
	out := &outcome{count: map[string]int{}, said: map[where][]string{}, function: map[string]string{}}
	d := &driver{v: v, facts: v.facts, results: map[*analysis.Analyzer]any{}, own: map[factKey]analysis.Fact{}}
	d.results[report.Collector] = func(f report.Finding) {
		if r, ok := rules.RuleByID(f.Rule); ok && !r.Default {
			return // advice: that a buffer could be hoisted is no news once it is released where it should
		}
		k, at := keyOf(f), where{f.Pos, f.Acquired}
		out.count[k]++
		out.function[k] = f.Function
		out.said[at] = append(out.said[at], k)
	}
	d.results[v.pass.Analyzer] = new(Result) // a fix is not fixed
	if found != nil {
		d.results[ownership.Analyzer] = found
	}
	for _, a := range append([]*analysis.Analyzer{ownership.Analyzer}, Registered()...) {
		if err := d.run(a); err != nil {
			return nil, err
		}
	}
	out.verdicts, _ = d.results[ownership.Analyzer].(*ownership.Result)
	return out, nil
}

var lineNumber = regexp.MustCompile(`\bline [0-9]+`)

// keyOf identifies a finding wherever it has moved to.
func keyOf(f report.Finding) string {
	return f.Rule + "\x00" + f.Function + "\x00" + lineNumber.ReplaceAllString(f.Message, "line N")
}

// driver runs analyzers on a variant within this process.
type driver struct {
	v       *variant
	facts   *ownership.Facts
	results map[*analysis.Analyzer]any
	own     map[factKey]analysis.Fact
}

type factKey struct {
	of  any // types.Object or *types.Package
	typ reflect.Type
}

// run runs an analyzer after those that it requires.
func (d *driver) run(a *analysis.Analyzer) error {
	if _, done := d.results[a]; done {
		return nil
	}
	for _, req := range a.Requires {
		if err := d.run(req); err != nil {
			return err
		}
	}
	result, err := a.Run(d.pass(a))
	if err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	d.results[a] = result
	return nil
}

func (d *driver) pass(a *analysis.Analyzer) *analysis.Pass {
	from := d.v.pass
	inputs := map[*analysis.Analyzer]any{report.Collector: d.results[report.Collector]}
	for _, req := range a.Requires {
		inputs[req] = d.results[req]
	}
	var files []*ast.File
	for _, s := range d.v.files {
		files = append(files, s.syntax)
	}
	return &analysis.Pass{
		Analyzer: a, Fset: from.Fset, Files: files, OtherFiles: from.OtherFiles, IgnoredFiles: from.IgnoredFiles,
		Pkg: d.v.pkg, TypesInfo: d.v.info, TypesSizes: from.TypesSizes, Module: from.Module, ResultOf: inputs,
		ReadFile: d.readFile,
		Report:   func(analysis.Diagnostic) {}, // notes and malformed directives: the driver has them already
		ImportObjectFact: func(obj types.Object, f analysis.Fact) bool {
			if obj.Pkg() != d.v.pkg {
				return d.facts != nil && isOwnership(f) && d.facts.Object(obj, f)
			}
			return d.read(factKey{obj, reflect.TypeOf(f)}, f)
		},
		ImportPackageFact: func(p *types.Package, f analysis.Fact) bool {
			if p != d.v.pkg {
				return d.facts != nil && isOwnership(f) && d.facts.Package(p, f)
			}
			return d.read(factKey{p, reflect.TypeOf(f)}, f)
		},
		ExportObjectFact:  func(obj types.Object, f analysis.Fact) { d.own[factKey{obj, reflect.TypeOf(f)}] = f },
		ExportPackageFact: func(f analysis.Fact) { d.own[factKey{d.v.pkg, reflect.TypeOf(f)}] = f },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
}

// isOwnership reports whether a fact is of a type that the engine's pass may
// ask its driver for.
func isOwnership(f analysis.Fact) bool {
	for _, t := range ownership.Analyzer.FactTypes {
		if reflect.TypeOf(t) == reflect.TypeOf(f) {
			return true
		}
	}
	return false
}

func (d *driver) read(k factKey, into analysis.Fact) bool {
	f, ok := d.own[k]
	if ok {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(f).Elem())
	}
	return ok
}

func (d *driver) readFile(name string) ([]byte, error) {
	for _, s := range d.v.files {
		if s.name == name && s.text != nil {
			return s.text, nil
		}
	}
	return d.v.pass.ReadFile(name)
}

func sortedNames(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// forget takes the files that were parsed for a trial out of the file set, which
// in a long-lived driver would grow with every trial.
func (v *variant) forget(base *variant) {
	kept := map[*ast.File]bool{}
	for _, s := range base.files {
		kept[s.syntax] = true
	}
	for _, s := range v.files {
		if tf := tokenFile(v.pass.Fset, s.syntax); tf != nil && !kept[s.syntax] {
			v.pass.Fset.RemoveFile(tf)
		}
	}
}

func tokenFile(fset *token.FileSet, f *ast.File) *token.File { return fset.File(f.FileStart) }
