// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package evict

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for resources that are taken out of a container and not released"

// Analyzer reports GM202.
var Analyzer = verdict.NewAnalyzer("evict", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM202", message, ownership.Evicted, ownership.PushedOut)
}

func message(v *verdict.Line) string {
	if v.Kind == ownership.PushedOut {
		return v.Class.Noun + " in " + v.Name + " is pushed out by " + v.Detail + " once there is no room, without being " + v.Class.Verb + ": give it a func that does it"
	}
	if v.Nil {
		return v.Class.Noun + " in " + v.Name + " is replaced by " + v.Detail + " without being " + v.Class.Verb + ": take the old one out first"
	}
	return v.Class.Noun + " is dropped from " + v.Name + " by " + v.Detail + " without being " + v.Class.Verb + ": " + v.Imperative() + " it first"
}
