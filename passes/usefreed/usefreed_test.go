// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package usefreed_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/usefreed"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), usefreed.Analyzer, "wrong", "right", "suppressed")
}
