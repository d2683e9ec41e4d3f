// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func requests(sizes []int) error {
	for _, n := range sizes {
		buf, err := dev.New(n)
		if err != nil {
			return err
		}
		defer buf.Free() //nolint:GM105 // at most four sizes
		buf.Fill(0)
	}
	return nil
}
