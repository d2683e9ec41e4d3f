// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func lastOnly(sizes []int) *dev.Buf {
	results := make([]*dev.Buf, len(sizes))
	for i, n := range sizes {
		results[i] = dev.Must(n)
	}
	for _, b := range results[:len(results)-1] {
		b.Free()
	}
	return results[len(results)-1]
}

func previous(sizes []int) *dev.Buf {
	results := make([]*dev.Buf, len(sizes))
	for i, n := range sizes {
		results[i] = dev.Must(n)
		if i > 0 {
			results[i-1].Free()
		}
	}
	return results[len(results)-1]
}

func all(sizes []int) []*dev.Buf {
	results := make([]*dev.Buf, len(sizes))
	for i, n := range sizes {
		results[i] = dev.Must(n)
	}
	return results
}

type chain struct{ bufs []*dev.Buf }

func (c *chain) Close() {
	for _, b := range c.bufs {
		b.Free()
	}
}

// The chain owns them, and lends the last.
func (c *chain) fill(sizes []int) *dev.Buf {
	results := make([]*dev.Buf, len(sizes))
	for i, n := range sizes {
		results[i] = dev.Must(n)
	}
	c.bufs = results
	return results[len(results)-1]
}

// One.
func single(n int) *dev.Buf {
	results := make([]*dev.Buf, 1)
	for i := range 1 {
		results[i] = dev.Must(n)
	}
	return results[0]
}
