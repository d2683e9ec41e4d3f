// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/suppress"
)

// Categories of diagnostics that are no findings but tell the stand-alone
// driver of //nolint directives.
const (
	CategoryNolint   = "nolint"   // here is one that names this tool or a rule of its
	CategorySilenced = "silenced" // this is what one has silenced
)

// Nolint is what a Detail says of directives.
type Nolint struct {
	At     []Place  `json:"at"` // of the directives
	Column int      `json:"column,omitempty"`
	Names  []string `json:"names,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Rule   string   `json:"rule,omitempty"` // that was silenced
}

// Directives tells the stand-alone driver of the //nolint directives that name
// this tool. A plain one, which silences every linter, is nobody's to judge.
// Without the flag detail it does nothing.
func Directives(pass *analysis.Pass) {
	if !settings.Load().Detail {
		return // other drivers have linters of their own for this
	}
	for _, file := range pass.Files {
		for _, d := range suppress.All(pass.Fset, file) {
			if !slices.ContainsFunc(d.Names, ours) {
				continue
			}
			n := Nolint{
				At: []Place{{File: d.Pos.Filename, Line: d.Pos.Line}}, Column: d.Pos.Column, Reason: d.Reason,
				Names: slices.DeleteFunc(d.Names, func(s string) bool { return !ours(s) }),
			}
			pos := file.Package // reported there, since cgo's files have lines of their own
			pass.Report(analysis.Diagnostic{
				Pos: pos, Category: CategoryNolint, Message: "directive",
				Related: []analysis.RelatedInformation{{Pos: pos, Message: Detail{Pass: pass.Analyzer.Name, Nolint: &n}.encode()}},
			})
		}
	}
}

// ours reports whether a name in a directive is that of this tool or of one of
// its rules.
func ours(name string) bool {
	return strings.EqualFold(name, LinterName) || ruleID.MatchString(strings.ToUpper(name))
}

func silenced(pass *analysis.Pass, f Finding, list []suppress.Directive) {
	n := Nolint{Rule: f.Rule}
	for _, d := range list {
		n.At = append(n.At, Place{File: d.Pos.Filename, Line: d.Pos.Line})
	}
	pass.Report(analysis.Diagnostic{
		Pos: f.Pos, Category: CategorySilenced, Message: f.Message,
		Related: []analysis.RelatedInformation{{Pos: f.Pos, Message: Detail{Tier: f.Tier.String(), Pass: pass.Analyzer.Name, Nolint: &n}.encode()}},
	})
}
