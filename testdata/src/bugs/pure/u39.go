// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// A Mat per frame in a loop without end.
func u39ShowBug(cam *gocv.VideoCapture, w *gocv.Window) {
	for {
		img := gocv.NewMat() // want GM102
		cam.Read(&img)
		w.IMShow(img)
		w.WaitKey(1)
	}
}

func u39ShowFixed(cam *gocv.VideoCapture, w *gocv.Window) {
	img := gocv.NewMat()
	defer img.Close()
	for {
		cam.Read(&img)
		w.IMShow(img)
		w.WaitKey(1)
	}
}
