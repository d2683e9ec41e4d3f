// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package discard

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for owned results that are dropped on the spot"

// Analyzer reports GM103.
var Analyzer = verdict.NewAnalyzer("discard", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM103", message, ownership.Discarded)
}

func message(v *verdict.Line) string {
	return v.What() + " is dropped: nothing can release it any more, so give it a name and " + v.Imperative() + " it"
}
