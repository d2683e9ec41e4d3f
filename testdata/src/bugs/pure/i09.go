// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

// The picture that is handed out is closed when the function returns.
func i09ResizeBug(img gocv.Mat, size image.Point) gocv.Mat {
	out := gocv.NewMat()
	defer out.Close()
	gocv.Resize(img, &out, size, 0, 0, 1)
	return out // want GM301
}

func i09ResizeFixed(img gocv.Mat, size image.Point) gocv.Mat {
	out := gocv.NewMat()
	gocv.Resize(img, &out, size, 0, 0, 1)
	return out
}
