// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !cgo || !linux

package nvml

import (
	"errors"
	"strings"
	"testing"
)

// TestWithoutCgo checks that every way in says what is missing.
func TestWithoutCgo(t *testing.T) {
	_, opened := Open()
	r := &Reader{}
	_, all := r.Devices()
	_, one := r.Device("GPU-1")
	_, _, _, usage := r.Usage("GPU-1")
	for name, err := range map[string]error{"Open": opened, "Devices": all, "Device": one, "Usage": usage} {
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.Driver() != "" || r.Close() != nil {
		t.Error("a reader of this build knows a driver, or does not close")
	}
}
