// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func second(n int) error {
	a, err := dev.New(n)
	if err != nil {
		return err
	}
	if err := a.Fill(0); err != nil {
		return err //nolint:GM101 // the caller ends the process
	}
	a.Free()
	return nil
}
