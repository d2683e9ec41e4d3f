// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package deferarg

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for deferred releases whose argument is evaluated too early"

// Analyzer reports GM106.
var Analyzer = verdict.NewAnalyzer("deferarg", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM106", message, ownership.DeferEarly)
}

func message(v *verdict.Line) string {
	return "deferred call has already evaluated its argument, still nil here: " + v.What() + " is not " + v.Class.Verb + "; defer it after the acquisition or inside a func literal"
}
