// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// Two defers per image, and a third Mat that is never closed.
func i05DescribeBug(paths []string) int {
	n := 0
	sift := gocv.NewSIFT()
	defer sift.Close()
	for _, path := range paths {
		gray := gocv.IMRead(path, gocv.IMReadGrayScale)
		mask := gocv.NewMat()
		defer mask.Close() // want GM105
		points, desc := sift.DetectAndCompute(gray, mask)
		defer desc.Close()
		n += len(points)
	}
	return n
}

func i05DescribeFixed(paths []string) int {
	n := 0
	sift := gocv.NewSIFT()
	defer sift.Close()
	for _, path := range paths {
		gray := gocv.IMRead(path, gocv.IMReadGrayScale)
		mask := gocv.NewMat()
		points, desc := sift.DetectAndCompute(gray, mask)
		n += len(points)
		desc.Close()
		mask.Close()
		gray.Close()
	}
	return n
}
