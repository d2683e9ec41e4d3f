// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// Two Mats per inner iteration, of which one is closed.
func u37RegisterBug(img, templ gocv.Mat, steps int) float32 {
	best := float32(0)
	for x := 0; x < steps; x++ {
		for y := 0; y < steps; y++ {
			mask := gocv.NewMat()
			result := gocv.NewMat() // want GM102
			gocv.MatchTemplate(img, templ, &result, 0, mask)
			if _, v, _, _ := gocv.MinMaxLoc(result); v > best {
				best = v
			}
			mask.Close()
		}
	}
	return best
}

func u37RegisterFixed(img, templ gocv.Mat, steps int) float32 {
	best := float32(0)
	for x := 0; x < steps; x++ {
		for y := 0; y < steps; y++ {
			mask := gocv.NewMat()
			result := gocv.NewMat()
			gocv.MatchTemplate(img, templ, &result, 0, mask)
			if _, v, _, _ := gocv.MinMaxLoc(result); v > best {
				best = v
			}
			result.Close()
			mask.Close()
		}
	}
	return best
}
