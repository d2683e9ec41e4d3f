// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/sugarme/gotch/ts"

// The helper consumes its argument, and the caller drops it again.
func b37ToCHWBug(hwc *ts.Tensor) *ts.Tensor { return hwc.MustPermute([]int64{2, 0, 1}, true) }

func b37SaveBug(hwc *ts.Tensor) float64 {
	chw := b37ToCHWBug(hwc)
	defer chw.MustDrop()
	v := chw.Float64Values()
	hwc.MustDrop() // want GM302
	return v[0]
}

func b37ToCHWFixed(hwc *ts.Tensor) *ts.Tensor { return hwc.MustPermute([]int64{2, 0, 1}, false) }

func b37SaveFixed(hwc *ts.Tensor) float64 {
	chw := b37ToCHWFixed(hwc)
	defer chw.MustDrop()
	v := chw.Float64Values()
	hwc.MustDrop()
	return v[0]
}
