// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package fix mends findings, and proves that it does.
//
// For each verdict of the engine it makes candidates, the ones a maintainer
// would prefer first: small edits of the user's own files. Each is tried: the
// package is parsed and type-checked again with the edit in it, and every rule
// runs on it. What is offered is the first candidate with which the finding is
// gone and nothing new is found. docs/fixes.md says what is offered and when.
package fix

import (
	"fmt"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// Doc is what drivers print about the analyzer.
const Doc = `look for edits that mend what the engine has found

It reports nothing itself; the passes offer its edits with their findings.`

// Analyzer looks for fixes if the settings ask for them. Its result is a
// *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "fixes",
	Doc:        Doc,
	URL:        "https://pkg.go.dev/github.com/gpumemlint/gpumemlint/internal/fix",
	Requires:   []*analysis.Analyzer{ownership.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
}

// Result holds the fixes of a package.
type Result struct {
	fixes map[int]report.Fix
}

// For returns the fixes of a verdict, by its index in the engine's result.
func (r *Result) For(verdict int) []report.Fix {
	if f, ok := r.fixes[verdict]; ok {
		return []report.Fix{f}
	}
	return nil
}

// place identifies a verdict by what the user sees of it. Where cgo has rewritten
// the package, fixes are looked for in another form of it, in which columns and
// token positions are not the same.
type place struct {
	kind           ownership.Kind
	file           string
	line, acquired int
	callee, name   string
}

func placeOf(pass *analysis.Pass, v ownership.Verdict) place {
	at := pass.Fset.Position(v.Pos)
	return place{v.Kind, at.Filename, at.Line, pass.Fset.Position(v.Acquired).Line, v.Callee, v.Name}
}

// assign gives the fixes that were found for the verdicts of the variant to those
// of the pass. Verdicts at one place are taken in their order.
func assign(pass *analysis.Pass, verdicts, base []ownership.Verdict, fixes map[int]report.Fix) map[int]report.Fix {
	at := map[place][]int{}
	for i, v := range base {
		p := placeOf(pass, v)
		at[p] = append(at[p], i)
	}
	out := map[int]report.Fix{}
	for i, v := range verdicts {
		p := placeOf(pass, v)
		if len(at[p]) == 0 {
			continue // looks otherwise in the variant
		}
		if f, ok := fixes[at[p][0]]; ok {
			out[i] = f
		}
		at[p] = at[p][1:]
	}
	return out
}

func run(pass *analysis.Pass) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			// Findings are worth more than fixes: they must not go down with them.
			report.Degraded(pass, pass.Files[0].Package, "", fmt.Sprintf("no fixes were looked for in the package: internal error: %v; please report this", p))
			result, err = new(Result), nil
		}
	}()
	found := pass.ResultOf[ownership.Analyzer].(*ownership.Result)
	if len(found.Verdicts) == 0 || !report.Current().Fixes {
		return new(Result), nil // nothing to mend, or nobody wants to know
	}
	base, err := newVariant(pass, found.Facts)
	if err != nil {
		return new(Result), nil // sources not at hand, or of a shape that is not understood
	}
	known := found
	if base.cgo {
		known = nil // it was found in another form of the package
	}
	before, err := base.judge(known)
	if err != nil {
		return nil, err
	}
	s := &search{base: base, before: before, fixes: map[int]report.Fix{}, tasks: map[int]*task{}}
	s.run()
	return &Result{assign(pass, found.Verdicts, before.verdicts.Verdicts, s.fixes)}, nil
}
