// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// The empty mask is made in the argument list.
func u31KeyPointsBug(img gocv.Mat) int {
	sift := gocv.NewSIFT()
	defer sift.Close()
	points, desc := sift.DetectAndCompute(img, gocv.NewMat()) // want GM103
	defer desc.Close()
	return len(points)
}

func u31KeyPointsFixed(img gocv.Mat) int {
	sift := gocv.NewSIFT()
	defer sift.Close()
	mask := gocv.NewMat()
	defer mask.Close()
	points, desc := sift.DetectAndCompute(img, mask)
	defer desc.Close()
	return len(points)
}
