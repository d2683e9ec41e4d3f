// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gcreliance

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for device memory that is left to the garbage collector, or not even to that"

// Analyzer reports GM404.
var Analyzer = verdict.NewAnalyzer("gcreliance", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM404", message, ownership.LeftToGC, ownership.FinalMissing)
}

// message words one verdict; v.Name is the wrapper, v.Failed what sets the
// finalizer elsewhere.
func message(v *verdict.Line) string {
	if v.Kind == ownership.FinalMissing {
		return fmt.Sprintf("%s is returned in a %s without the finalizer that %s sets: nothing ever releases it, build it there", v.What(), v.Name, v.Failed)
	}
	if v.Nil {
		return fmt.Sprintf("%s is left to the garbage collector in each iteration, and that sees only a few bytes of it: %s it at the end", v.What(), v.Imperative())
	}
	return fmt.Sprintf("%s is left to the garbage collector, which sees only a few bytes of it: %s it", v.What(), v.Imperative())
}
