// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package loopdefer

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for releases that are deferred inside a loop"

// Analyzer reports GM105.
var Analyzer = verdict.NewAnalyzer("loopdefer", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM105", message, ownership.DeferInLoop)
}

func message(v *verdict.Line) string {
	return v.What() + " is " + v.Class.Verb + " only when the function returns, not in each iteration: release it at the end of the loop body or move the body into a function"
}
