// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

// Only the last one goes to the caller.
func last(sizes []int) (*dev.Buf, error) {
	results := make([]*dev.Buf, len(sizes))
	for i, n := range sizes {
		results[i] = dev.Must(n) // want `^device buffer from dev.Must is made in each turn, and of all of them only one is returned: release the others \(GM102\)$`
		if i > 0 {
			results[i].Fill(byte(i))
		}
	}
	return results[len(results)-1], nil
}
