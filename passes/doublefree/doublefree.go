// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package doublefree

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for handles that are released twice, or by somebody who does not own them"

// Analyzer reports GM302.
var Analyzer = verdict.NewAnalyzer("doublefree", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM302", message, ownership.ReleasedTwice, ownership.ReleasedBorrowed)
}

func message(l *verdict.Line) string {
	a := l.After
	what, verb := l.What(), l.Class.Verb
	switch {
	case l.Kind == ownership.ReleasedBorrowed:
		return what + " is only borrowed, and " + a.Touch + " releases it: leave that to its owner"
	case a.Taken:
		return what + " is " + verb + " by " + a.Touch + ", but " + a.By + l.At(a.Ended) + " has taken it over: drop one of them"
	case a.Copied:
		return what + " is " + verb + " twice, through two copies of one handle, the first time by " + a.By + l.At(a.Ended) + ": close only one"
	case a.Late && a.Ended == l.Pos:
		return what + " is " + verb + " again by the same deferred call"
	case l.Pos == a.Ended:
		return what + " is " + verb + " again in the next iteration: release it once, behind the loop"
	case a.Late:
		return what + " is " + verb + " again by this deferred call, after " + a.By + l.At(a.Ended) + ": keep one of the two"
	}
	return what + " is " + verb + " twice, the first time by " + a.By + l.At(a.Ended) + ": keep one of the two"
}
