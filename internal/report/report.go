// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package report is the only place that builds diagnostics.
//
// A pass says what it found as a Finding; Report turns it into an
// analysis.Diagnostic in the one form that every driver shows alike: the rule
// in brackets at the end of the message (no driver prints a category), the
// category and the link for those that can use them, at most one related
// position (golangci-lint counts each as an issue of its own). What the user
// does not want to see (a lower tier, another rule, a suppressed line) is
// dropped here and nowhere else.
package report

import (
	"go/ast"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/suppress"
)

// LinterName is the name that //nolint knows every rule of this tool by.
const LinterName = "gpumemlint"

const docsURL = "https://github.com/gpumemlint/gpumemlint/blob/main/docs/rules/"

// A Step is one stop on the way from the acquisition to the loss.
type Step struct {
	Pos  token.Pos
	Text string
}

// A Finding is what a pass has found, free of any output format.
type Finding struct {
	Rule     string // the rule's ID, as in GM101
	Tier     Tier
	Pos, End token.Pos // what is reported; in a cgo file the call's Fun
	Message  string    // one lower-case sentence, no full stop, without the "(GM101)" tail
	Resource string    // what is held, as in "device memory"
	Function string    // the function that holds it, as in "(*Cache).Grow"
	Acquired token.Pos // where it was acquired; NoPos if that is not in this package
	Failed   string    // the call whose failure the path is on, as the user writes it; may be empty
	FailedAt token.Pos // where that call stands; NoPos if the path is on no call's failure
	Trace    []Step    // the path, in order of execution
	Fixes    []Fix
}

// URL returns the page that explains a rule.
func URL(rule string) string { return docsURL + rule + ".md" }

// Report hands f to the driver, unless the settings or a directive in the
// source say that it is not wanted. It is safe for concurrent use by passes.
func Report(pass *analysis.Pass, f Finding) {
	if take := collector(pass); take != nil {
		take(f)
		return // code that is only tried
	}
	s := settings.Load()
	if f.Tier < s.Tier {
		return // less certain than the user asked for
	}
	if !s.wants(f.Rule) {
		return // another rule than those asked for
	}
	if inGeneratedCgo(pass.Fset, f.Pos) {
		return // cgo's own file: the position means nothing to the user
	}
	if s.Nolint && suppressed(pass, f, s.Detail) {
		return // the author has seen it
	}
	pass.Report(diagnostic(pass, f, s.Detail))
}

func diagnostic(pass *analysis.Pass, f Finding, detail bool) analysis.Diagnostic {
	d := analysis.Diagnostic{
		Pos:            f.Pos,
		End:            f.End,
		Category:       f.Rule,
		Message:        f.Message + " (" + f.Rule + ")",
		URL:            URL(f.Rule),
		SuggestedFixes: suggested(pass, f.Fixes),
	}
	if f.Acquired.IsValid() && f.Acquired != f.Pos {
		what := f.Resource
		if what == "" {
			what = "resource"
		}
		d.Related = append(d.Related, analysis.RelatedInformation{
			Pos:     f.Acquired,
			Message: what + " acquired here",
		})
	}
	if detail {
		d.Related = append(d.Related, analysis.RelatedInformation{
			Pos:     f.Pos,
			Message: newDetail(pass, f).encode(),
		})
	}
	return d
}

// inGeneratedCgo reports whether pos lies in the file in which cgo declares
// what C offers.
func inGeneratedCgo(fset *token.FileSet, pos token.Pos) bool {
	return filepath.Base(fset.PositionFor(pos, false).Filename) == "_cgo_gotypes.go"
}

// suppressed reports whether a directive silences f. With detail it tells the
// stand-alone driver which, so that those which silence nothing can be named.
func suppressed(pass *analysis.Pass, f Finding, detail bool) bool {
	file := fileOf(pass.Files, f.Pos)
	if file == nil {
		return false // not in this package's syntax: nothing to read a directive from
	}
	list := suppress.Find(pass.Fset, file, f.Pos, LinterName, f.Rule)
	if detail && len(list) > 0 {
		silenced(pass, f, list)
	}
	return len(list) > 0
}

func fileOf(files []*ast.File, pos token.Pos) *ast.File {
	for _, f := range files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
