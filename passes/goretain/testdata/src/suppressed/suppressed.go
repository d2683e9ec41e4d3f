// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func fill(b *dev.Buf, n int) error {
	errs := make(chan error)
	//nolint:GM204 // n is never negative
	go func() { errs <- b.Fill(1) }()
	if n < 0 {
		return nil
	}
	return <-errs
}
