// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pure holds correct code that a naive leak checker flags, one shape a
// file. No rule may report anything here.
package pure

import "errors"

var errFailed = errors.New("failed")

func step(n int) error {
	if n < 0 {
		return errFailed
	}
	return nil
}
