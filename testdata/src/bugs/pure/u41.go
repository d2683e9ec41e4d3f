// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// Neither the window nor the image is closed.
func u41ShowBug(path string) int {
	w := gocv.NewWindow("face") // want GM102
	img := gocv.IMRead(path, gocv.IMReadColor)
	w.IMShow(img)
	return w.WaitKey(0)
}

func u41ShowFixed(path string) int {
	w := gocv.NewWindow("face")
	defer w.Close()
	img := gocv.IMRead(path, gocv.IMReadColor)
	defer img.Close()
	w.IMShow(img)
	return w.WaitKey(0)
}
