// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command noop is a vet tool that does nothing: the cost of having a vet tool
// at all, which the benchmark compares with.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name: "noop",
		Doc:  "does nothing",
		Run:  func(*analysis.Pass) (any, error) { return nil, nil },
	})
}
