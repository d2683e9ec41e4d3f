// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package goretain

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for goroutines and closures that outlive their work and keep a resource"

// Analyzer reports GM204.
var Analyzer = verdict.NewAnalyzer("goretain", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM204", message, ownership.HeldOn)
}

func message(v *verdict.Line) string { return v.Detail }
