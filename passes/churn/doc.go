// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package churn reports GM504: check for device buffers that a loop allocates again and again.
//
// Each turn of a loop allocates a buffer of the same size and releases it. An
// allocation of the driver synchronises the device, and so does a release.
//
//	for _, f := range frames {
//		dst := gocv.NewMat() // Mat from gocv.NewMat is allocated and closed ... (GM504)
//		gocv.GaussianBlur(f, &dst, image.Pt(3, 3), 0, 0, gocv.BorderDefault)
//		dst.Close()
//	}
//
// Hoist it out of the loop, or take it from a pool. It is advice, and reported
// only where it is asked for. Where the sizes differ from turn to turn, it is
// only possible: allocations of many sizes fragment the memory.
//
// # Not reported
//
// Buffers that are made from what the turn works on: files, copies, results.
// Values that leave their turn. Loops with a small constant number of turns,
// loops that a clock drives, loops that end when an allocation succeeds. What
// comes from a pool or from an allocator with a cache. Tests.
package churn
