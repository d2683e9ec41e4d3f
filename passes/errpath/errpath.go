// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package errpath

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for resources that are lost when a later step fails"

// Analyzer reports GM101.
var Analyzer = verdict.NewAnalyzer("errpath", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM101", message, ownership.ErrorPath)
}

// message names what fails, since the return itself rarely tells.
func message(v *verdict.Line) string {
	if v.Detail == "panics" {
		return v.What() + " is not " + v.Class.Verb + " if " + v.Failed + " panics, and this function recovers and goes on: defer the release"
	}
	text := v.What() + " is not " + v.Class.Verb + " when this returns"
	if v.Failed != "" {
		text += ": " + v.Failed + " failed"
	}
	return text + v.More("path")
}
