// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nograd

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for inference outside a scope without gradients"

// Analyzer reports GM501.
var Analyzer = verdict.NewAnalyzer("nograd", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM501", message, ownership.GraphKept, ownership.BackwardNoGrad, ownership.BackwardUnused)
}

func message(v *verdict.Line) string {
	if v.Kind == ownership.BackwardNoGrad {
		return fmt.Sprintf("%s runs inside a scope without gradients, in which %s (line %d) recorded no graph: it fails, or changes nothing; move both out",
			v.Callee, v.Other, v.LineOf(v.OtherAt))
	}
	if v.Kind == ownership.BackwardUnused {
		return fmt.Sprintf("%s goes backwards too at %s (line %d), and nothing uses the gradients: pass %s",
			v.What(), v.Other, v.LineOf(v.OtherAt), v.Name)
	}
	return fmt.Sprintf("%s runs outside %s and only %s (line %d) reads what it gives: the graph is kept for nothing",
		v.Callee, v.Name, v.Other, v.LineOf(v.OtherAt))
}
