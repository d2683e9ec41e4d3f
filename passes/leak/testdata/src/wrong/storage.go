// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func totals(list []*dev.Tensor) int {
	total := 0
	for range list {
		buf, err := dev.New(1) // want `GM102`
		if err != nil {
			return 0
		}
		total += dev.Total(buf)
	}
	return total
}
