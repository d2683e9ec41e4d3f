// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gradaccum_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/gradaccum"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), gradaccum.Analyzer, "wrong", "right", "suppressed")
}
