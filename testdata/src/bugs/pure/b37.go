// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/torch"

// The helper consumes its argument, and the caller frees it again.
func b37ToCHWBug(hwc *torch.Handle) *torch.Handle { return hwc.Permute(2, 0, 1, true) }

func b37SaveBug(hwc *torch.Handle) float64 {
	chw := b37ToCHWBug(hwc)
	defer chw.Free()
	v := chw.Sum()
	hwc.Free() // want GM302
	return v
}

func b37ToCHWFixed(hwc *torch.Handle) *torch.Handle { return hwc.Permute(2, 0, 1, false) }

func b37SaveFixed(hwc *torch.Handle) float64 {
	chw := b37ToCHWFixed(hwc)
	defer chw.Free()
	v := chw.Sum()
	hwc.Free()
	return v
}
