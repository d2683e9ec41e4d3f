// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package usefreed

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for handles that are used after they were released"

// Analyzer reports GM301.
var Analyzer = verdict.NewAnalyzer("usefreed", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM301", message, ownership.UsedAfter)
}

func message(l *verdict.Line) string {
	a := l.After
	what := l.What()
	switch {
	case a.Touch == "return" && l.Deferred():
		return what + " is returned, but the deferred " + a.By + " has " + a.Verb + " it by then: leave the release to the caller"
	case a.Touch == "return":
		return what + " is returned after it was " + a.Verb + l.At(a.Ended) + ": leave the release to the caller"
	case a.Touch == "store":
		return what + " is kept beyond this function, but the deferred " + a.By + " has " + a.Verb + " it by then: leave the release to who keeps it"
	case a.Taken:
		return what + " is used" + by(a) + ", but " + a.By + l.At(a.Ended) + " has taken it over: use it before, or pass a copy on"
	case a.Touch == "":
		return what + " is read after it was " + a.Verb + l.At(a.Ended) + ": release it after the last use"
	}
	return what + " is used" + by(a) + " after it was " + a.Verb + l.At(a.Ended) + ": release it after the last use"
}

func by(a *ownership.After) string {
	if a.Touch == "" {
		return ""
	}
	return " by " + a.Touch
}
