// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package outlive

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for views, borrowed parts and asynchronous operations that outlive what they need"

// Analyzer reports GM303.
var Analyzer = verdict.NewAnalyzer("outlive", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM303", message, ownership.Outlived, ownership.AsyncPending, ownership.ReadEarly)
}

func message(l *verdict.Line) string {
	a := l.After
	if l.Kind == ownership.AsyncPending {
		return l.What() + " is " + a.Verb + " while " + a.View + l.At(a.Made) + " may still use it: synchronize its stream first"
	}
	if l.Kind == ownership.ReadEarly {
		return l.What() + " is read while " + a.View + l.At(a.Made) + " may still fill it: synchronize its stream first"
	}
	view := "what " + a.View + l.At(a.Made) + " gave out"
	switch {
	case a.Kept:
		return view + " is used" + touch(a) + ", but the " + l.What() + " that it refers to was " + a.Verb + l.At(a.Ended) + ": release it later"
	case a.Touch == "return" && l.Deferred():
		return view + " is returned, but the deferred " + a.By + " has " + a.Verb + " the " + l.What() + " under it by then: copy it"
	case a.Touch == "return":
		return view + " is returned after the " + l.What() + " under it was " + a.Verb + l.At(a.Ended) + ": copy it"
	case a.Touch == "store":
		return view + " is kept beyond this function, and the " + l.What() + " under it is " + a.Verb + l.At(a.Ended) + ": copy it"
	}
	return view + " is used" + touch(a) + " after the " + l.What() + " under it was " + a.Verb + l.At(a.Ended) + ": copy it, or release later"
}

func touch(a *ownership.After) string {
	if a.Touch == "" {
		return ""
	}
	return " by " + a.Touch
}
