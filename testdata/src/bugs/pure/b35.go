// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/sugarme/gotch/ts"

// A chain of operations says del=false throughout, so every link stays.
func b35DetectBug(grid, anchors *ts.Tensor) *ts.Tensor {
	a := grid.MustView([]int64{-1, 1}, false) // want GM102
	b := a.MustAdd(anchors, false)
	return b.MustMul(anchors, false)
}

func b35DetectFixed(grid, anchors *ts.Tensor) *ts.Tensor {
	a := grid.MustView([]int64{-1, 1}, false)
	b := a.MustAdd(anchors, true)
	return b.MustMul(anchors, true)
}
