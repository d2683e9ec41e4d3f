// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gcreliance_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/passes/gcreliance"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), gcreliance.Analyzer, "missing", "suppressed")
}

// TestPossible asks for the advice, which nobody gets unasked.
func TestPossible(t *testing.T) {
	s := report.Defaults()
	s.Tier = report.Possible
	report.Configure(s)
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	analysistest.Run(t, analysistest.TestData(), gcreliance.Analyzer, "left")
}
