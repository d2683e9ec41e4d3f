// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cacheflush

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for allocator caches that a hot loop empties"

// Analyzer reports GM503.
var Analyzer = verdict.NewAnalyzer("cacheflush", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM503", message, ownership.FlushedInLoop)
}

func message(v *verdict.Line) string {
	name := v.Callee
	if v.Other != "" {
		name += ", which calls " + v.Other + ","
	}
	return name + " in a loop: each step returns its cache to the driver and asks for it again; call it after the loop"
}
