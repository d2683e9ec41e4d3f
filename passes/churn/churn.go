// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package churn

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for device buffers that a loop allocates again and again"

// Analyzer reports GM504.
var Analyzer = verdict.NewAnalyzer("churn", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM504", message, ownership.Churned)
}

func message(v *verdict.Line) string {
	text := v.What() + " is allocated and " + v.Class.Verb + " in every iteration"
	if v.Nil {
		return text + ", each time in another size: keep one that is large enough, or round the sizes up"
	}
	return text + ": hoist it out of the loop"
}
