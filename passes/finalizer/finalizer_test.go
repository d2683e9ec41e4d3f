// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package finalizer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/finalizer"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), finalizer.Analyzer, "never", "throws", "early", "armed", "dead", "mismatch", "suppressed")
}
