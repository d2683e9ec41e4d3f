// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "math/bits"

// The sizes that PyTorch's allocator is built on.
const (
	minBlock    = int64(512) // every block is a multiple of it
	smallMax    = mib        // largest request that the small pool serves
	smallBuffer = 2 * mib    // segment that small requests share
	largeMin    = 10 * mib   // requests from here on get segments of their own size
	roundLarge  = 2 * mib    // to a multiple of this
)

// maxRequest is refused up front: no device has an exbibyte.
const maxRequest = int64(1) << 60

// roundSize gives the block size for a request of n bytes.
func (c *Conf) roundSize(n int64) int64 {
	if n <= minBlock {
		return minBlock
	}
	if d := c.divisionsFor(n); d > 1 && n > minBlock*d {
		return roundDivision(n, d)
	}
	return (n + minBlock - 1) &^ (minBlock - 1)
}

// divisionsFor gives the number of steps between powers of two at size n.
func (c *Conf) divisionsFor(n int64) int64 {
	i := bits.Len64(uint64(n)) - 1 - 20
	return c.RoundupDivisions[min(max(i, 0), divisionIntervals-1)]
}

// roundDivision rounds n up to the next of d equal steps between powers of
// two: 1200 with 4 steps becomes 1280. d is a power of two above 1.
func roundDivision(n, d int64) int64 {
	if n&(n-1) == 0 {
		return n
	}
	floor := int64(1) << (bits.Len64(uint64(n)) - 1)
	step := floor >> (bits.Len64(uint64(d)) - 1)
	if step == 0 {
		return floor << 1
	}
	return (n + step - 1) &^ (step - 1)
}

// SetDivisions sets the steps between powers of two for sizes from mb MiB up to
// twice that.
func (c *Conf) SetDivisions(mb, steps int64) {
	c.RoundupDivisions[min(bits.Len64(uint64(mb))-1, divisionIntervals-1)] = steps
}

// SegmentSize gives the size in bytes of the segment that PyTorch would get for
// a request of n bytes.
func (c *Conf) SegmentSize(n int64) int64 { return c.segmentSize(c.roundSize(n)) }

// segmentSize gives the segment that PyTorch allocates for a block of size.
func (c *Conf) segmentSize(size int64) int64 {
	switch {
	case size <= smallMax:
		return smallBuffer
	case size < largeMin:
		return c.LargeSegmentSize
	default:
		return roundUp(size, roundLarge)
	}
}

// roundUp gives the least multiple of to that is at least n.
func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }
