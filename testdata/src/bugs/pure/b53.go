// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/pool"

// Temporary results stay in the table of results instead of going back to the
// pool after their last use.
func b53RunBug(sizes []int) *pool.Buffer {
	results := make([]*pool.Buffer, len(sizes))
	for i, size := range sizes {
		results[i] = pool.Get(size) // want GM102
	}
	return results[len(results)-1]
}

func b53RunFixed(sizes []int) *pool.Buffer {
	var last *pool.Buffer
	for _, size := range sizes {
		next := pool.Get(size)
		if last != nil {
			pool.Put(last)
		}
		last = next
	}
	return last
}
