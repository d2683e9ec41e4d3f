// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package deferarg_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/deferarg"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), deferarg.Analyzer, "wrong", "right", "suppressed")
}
