// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package retain

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for resources that a long-lived container keeps for ever"

// Analyzer reports GM201.
var Analyzer = verdict.NewAnalyzer("retain", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM201", message, ownership.Kept)
}

func message(v *verdict.Line) string {
	if v.Detail == "stays" {
		return v.Class.Noun + " of an element of " + v.Name + " has been " + v.Class.Verb + ", and the element stays there when this returns: take it out on this path as well"
	}
	return v.Source() + " is kept in " + v.Name + ", from which nothing ever takes it: bound it, or have what it drops " + v.Class.Verb
}
