// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package itercache

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for containers and caches that grow with every iteration, request or step"

// Analyzer reports GM203.
var Analyzer = verdict.NewAnalyzer("itercache", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM203", message, ownership.Grows)
}

func message(v *verdict.Line) string {
	switch v.Detail {
	case "new key":
		return v.Source() + " is cached in " + v.Name + " under a key that changes from call to call: bound the cache, or round the key"
	case "no limit":
		return v.Name + " takes the bound off the cache of compiled programs: every new input shape adds one, so set a limit and round the shapes"
	}
	return v.Source() + " is added to " + v.Name + " with every " + v.Detail + " and stays there: keep a bounded number, and have the oldest " + v.Class.Verb
}
