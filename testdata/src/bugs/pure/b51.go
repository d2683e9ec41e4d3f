// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/pool"

// The second operand goes back into the pool in its branch, and once more for
// all branches.
func b51DotBug(n int, packed bool) int {
	out := pool.Get(n)
	out2 := pool.Get(n)
	total := out.Len()
	if packed {
		total += out2.Len()
		pool.Put(out2)
	}
	pool.Put(out)
	pool.Put(out2) // want GM302
	return total
}

func b51DotFixed(n int, packed bool) int {
	out := pool.Get(n)
	out2 := pool.Get(n)
	total := out.Len()
	if packed {
		total += out2.Len()
	}
	pool.Put(out)
	pool.Put(out2)
	return total
}
