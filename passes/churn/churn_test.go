// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package churn_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/passes/churn"
)

// The rule is advice, so it has to be asked for.
func TestAnalyzer(t *testing.T) {
	old := report.Current()
	t.Cleanup(func() { report.Configure(old) })
	report.Configure(report.Settings{Tier: report.Possible, Rules: []string{"GM504"}, Nolint: true})
	analysistest.Run(t, analysistest.TestData(), churn.Analyzer, "wrong", "right", "suppressed", "cgo")
}

// Nobody who did not ask is bothered with it.
func TestOffByDefault(t *testing.T) {
	old := report.Current()
	t.Cleanup(func() { report.Configure(old) })
	report.Configure(report.Defaults())
	res := analysistest.Run(silent{t}, analysistest.TestData(), churn.Analyzer, "wrong")
	for _, r := range res {
		if n := len(r.Diagnostics); n > 0 {
			t.Errorf("%d findings by default, want none", n)
		}
	}
}

// silent takes note of no missing expectation.
type silent struct{ *testing.T }

func (silent) Errorf(string, ...any) {}
