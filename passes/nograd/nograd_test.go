// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nograd_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/nograd"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), nograd.Analyzer, "wrong", "right", "suppressed", "gorgonia")
}
