// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package retain_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/retain"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), retain.Analyzer, "wrong", "right", "suppressed", "across")
}
