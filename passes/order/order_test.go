// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package order_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/passes/order"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), order.Analyzer, "wrong", "right", "suppressed", "cgo", "wraps", "thread", "window")
}
