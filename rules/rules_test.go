// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"testing"
)

// TestDefault parses all built-in stubs.
func TestDefault(t *testing.T) {
	if _, err := builtin(); err != nil {
		t.Fatalf("built-in stubs:\n%v", err)
	}
}
