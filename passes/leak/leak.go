// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for resources that are never released on some ordinary path"

// Analyzer reports GM102.
var Analyzer = verdict.NewAnalyzer("leak", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM102", message, ownership.NotReleased, ownership.EachTurn, ownership.OwnerLacks)
}

func message(v *verdict.Line) string {
	switch v.Kind {
	case ownership.EachTurn:
		return v.What() + " is not " + v.Class.Verb + " before the next iteration: one is lost each time around the loop"
	case ownership.OwnerLacks:
		return v.What() + " is kept in " + v.Name + ", and nothing ever releases it from there"
	}
	if v.Detail == "others" {
		return v.What() + " is made in each turn, and of all of them only one is returned: release the others"
	}
	if v.Always {
		return v.What() + " is never " + v.Class.Verb
	}
	return v.What() + " is not " + v.Class.Verb + " on every path: " + v.Exit() + " loses it"
}
