// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func variable(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	buf, err = dev.New(2 * n) //nolint:GM104 // the first one is freed by its stream
	if err != nil {
		return err
	}
	buf.Free()
	return nil
}
