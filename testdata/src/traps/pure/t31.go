// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "traps/lib/sweep"

// Arrays are never freed by hand: what is not pinned goes with the sweep.
func t31Generate(tokens []int32, steps int) int {
	x := sweep.FromValues(tokens)
	cache := x.Add(x)
	sweep.Pin(cache)
	defer sweep.Unpin(cache)
	n := 0
	for i := 0; i < steps; i++ {
		y := cache.Add(x)
		z := y.Add(y)
		n += z.Len()
		sweep.Sweep()
	}
	return n
}
