// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package verdict is what the passes share: an analyzer that asks the engine
// and words one kind of verdict each.
package verdict

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/fix"
	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// NewAnalyzer returns an analyzer that requires the engine.
func NewAnalyzer(name, doc string, run func(*analysis.Pass) (any, error)) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		URL:      "https://pkg.go.dev/github.com/gpumemlint/gpumemlint/passes/" + name,
		Requires: []*analysis.Analyzer{ownership.Analyzer, fix.Analyzer},
		Run:      run,
	}
	fix.Register(a)
	return a
}

// Line is a verdict with the line number of its acquisition.
type Line struct {
	ownership.Verdict
	fset *token.FileSet
}

// Each reports the verdicts of the given kinds under one rule.
func Each(pass *analysis.Pass, rule string, message func(*Line) string, kinds ...ownership.Kind) (any, error) {
	res := pass.ResultOf[ownership.Analyzer].(*ownership.Result)
	fixes := pass.ResultOf[fix.Analyzer].(*fix.Result)
	for i, v := range res.Verdicts {
		if !slices.Contains(kinds, v.Kind) {
			continue
		}
		l := &Line{v, pass.Fset}
		report.Report(pass, report.Finding{
			Rule: rule, Tier: v.Tier, Pos: v.Pos, End: v.End, Message: message(l),
			Resource: v.Class.Noun, Function: v.Function, Acquired: v.Acquired, Trace: v.Trace,
			Failed: v.Failed, FailedAt: v.FailedAt,
			Fixes: fixes.For(i),
		})
	}
	return nil, nil
}

// What names the resource and where it comes from: "tensor from ort.NewTensor
// (line 41)". The line is left out where the finding stands on it.
func (l *Line) What() string {
	if l.Callee == "" {
		return l.Class.Noun + " in " + l.Name // it was there on entry
	}
	at := l.fset.Position(l.Acquired)
	if here := l.fset.Position(l.Pos); here.Line == at.Line && here.Filename == at.Filename {
		return fmt.Sprintf("%s from %s", l.Class.Noun, l.Callee)
	}
	return fmt.Sprintf("%s from %s (line %d)", l.Class.Noun, l.Callee, at.Line)
}

// Source names the resource and, if it is acquired in sight, where it comes
// from.
func (l *Line) Source() string {
	if l.Callee == "" {
		return l.Class.Noun
	}
	return l.What()
}

// More says how many further exits there are.
func (l *Line) More(what string) string {
	switch l.Others {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (and on 1 more %s)", what)
	}
	return fmt.Sprintf(" (and on %d more %ss)", l.Others, what)
}

// Exit names the exit on which an ordinary path loses the resource.
func (l *Line) Exit() string {
	if len(l.Trace) == 0 {
		return "one exit"
	}
	last := l.Trace[len(l.Trace)-1]
	return fmt.Sprintf("the exit at line %d", l.fset.Position(last.Pos).Line)
}

// Imperative is the verb as an advice: "destroy".
func (l *Line) Imperative() string {
	if len(l.Class.Releases) > 0 && !strings.Contains(l.Class.Releases[0], ".") {
		return "call " + l.Class.Releases[0] + " on"
	}
	return "release"
}

// At gives another position's line in brackets, or nothing where it is the
// finding's own.
func (l *Line) At(pos token.Pos) string {
	at, here := l.fset.Position(pos), l.fset.Position(l.Pos)
	if !pos.IsValid() || at.Line == here.Line && at.Filename == here.Filename {
		return ""
	}
	return fmt.Sprintf(" (line %d)", at.Line)
}

// Deferred reports whether the release that a misuse comes behind is deferred:
// it stands before the misuse in the source and runs later.
func (l *Line) Deferred() bool { return l.After != nil && l.After.Deferred }
