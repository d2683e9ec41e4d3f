// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pure rebuilds real leaks of Go programs in small, one file each, as
// the program had it (Bug) and mended (Fixed). A file is named after the shape
// it tells; the want comment names the rule that must report inside the
// declaration. The libraries are the stand-ins beside it.
package pure

import "errors"

var errFailed = errors.New("failed")

func step(n int) error {
	if n < 0 {
		return errFailed
	}
	return nil
}
