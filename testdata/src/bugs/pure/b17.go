// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// The channels that Split hands out are looked at and forgotten.
func b17SplitBug(src gocv.Mat) int {
	total := 0
	chans := gocv.Split(src) // want GM102
	for _, ch := range chans {
		total += ch.Total()
	}
	return total
}

func b17SplitFixed(src gocv.Mat) int {
	total := 0
	chans := gocv.Split(src)
	for _, ch := range chans {
		total += ch.Total()
		ch.Close()
	}
	return total
}
