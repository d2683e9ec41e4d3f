// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownercopy

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for copied structs of which both the copy and the original are released"

// Analyzer reports GM403.
var Analyzer = verdict.NewAnalyzer("ownercopy", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM403", message, ownership.OwnerCopied)
}

// message words one verdict: v.Name was released first, v.Failed second.
func message(v *verdict.Line) string {
	if v.Nil {
		return fmt.Sprintf("%s is copied while its finalizer stays armed, which will release what the copy owns: take it off with runtime.SetFinalizer(%s, nil)", v.Name, v.Name)
	}
	return fmt.Sprintf("%s and %s are copies of one %s and both are %s: it is freed twice, clone it or hand it over", v.Name, v.Failed, v.Class.Noun, v.Class.Verb)
}
