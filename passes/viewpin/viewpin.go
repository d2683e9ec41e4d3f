// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package viewpin

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for small views that keep a large parent alive"

// Analyzer reports GM205.
var Analyzer = verdict.NewAnalyzer("viewpin", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM205", message, ownership.Pinned)
}

func message(v *verdict.Line) string {
	return v.Source() + " is kept in " + v.Name + " and with it the whole parent: copy the part and release the view"
}
