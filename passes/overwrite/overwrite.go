// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package overwrite

import (
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for variables and fields assigned again while they still own"

// Analyzer reports GM104.
var Analyzer = verdict.NewAnalyzer("overwrite", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM104", message, ownership.Overwritten)
}

func message(v *verdict.Line) string {
	name := v.Name
	if name == "" {
		name = "its only holder"
	}
	if v.Callee == "" { // What has named it
		name = "the field"
		if !strings.Contains(v.Name, ".") {
			name = "the variable"
		}
	}
	if v.Nil {
		return v.What() + " is lost: " + name + " is set to nil before it is " + v.Class.Verb
	}
	return v.What() + " is lost: " + name + " is assigned again before it is " + v.Class.Verb
}
