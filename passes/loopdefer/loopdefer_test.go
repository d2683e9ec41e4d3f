// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package loopdefer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/loopdefer"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), loopdefer.Analyzer, "wrong", "right", "suppressed")
}
