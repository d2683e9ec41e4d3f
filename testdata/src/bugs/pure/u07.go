// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// u07Pixels only looks at the image.
func u07Pixels(img gocv.Mat) []byte {
	if img.Empty() {
		return nil
	}
	return img.ToBytes()
}

// The image only goes to a function that borrows it.
func u07PredictBug(path string) int {
	img := gocv.IMRead(path, gocv.IMReadGrayScale) // want GM102
	return len(u07Pixels(img))
}

func u07PredictFixed(path string) int {
	img := gocv.IMRead(path, gocv.IMReadGrayScale)
	defer img.Close()
	return len(u07Pixels(img))
}
