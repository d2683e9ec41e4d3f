// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gradaccum

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for losses summed with their graphs, and for gradients that add up"

// Analyzer reports GM502.
var Analyzer = verdict.NewAnalyzer("gradaccum", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM502", message, ownership.GraphSummed, ownership.NeverZeroed, ownership.NotAveraged)
}

func message(v *verdict.Line) string {
	switch v.Kind {
	case ownership.NeverZeroed:
		return v.Callee + " in a loop in which nothing sets the gradients to zero: each step adds to those of all steps before; call ZeroGrad"
	case ownership.NotAveraged:
		return v.Callee + " after gradients of several batches were added up, and nothing divides the loss by their number: the step is that many times too long"
	}
	return v.Name + " keeps the graph of every " + v.Other + " that is added to it: add its number, or detach it first"
}
