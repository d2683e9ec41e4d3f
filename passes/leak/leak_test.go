// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package leak_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/leak"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), leak.Analyzer, "wrong", "right", "suppressed", "cgo", "cgofinal")
}
