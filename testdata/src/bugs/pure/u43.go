// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

// Defers inside a loop that never ends.
func u43DetectBug(cam *gocv.VideoCapture, net *gocv.Net) {
	img := gocv.NewMat()
	defer img.Close()
	for {
		cam.Read(&img)
		blob := gocv.BlobFromImage(img, 1, image.Pt(300, 300), gocv.NewScalar(0, 0, 0, 0), false, false)
		defer blob.Close() // want GM105
		net.SetInput(blob, "data")
		prob := net.Forward("out")
		defer prob.Close()
	}
}

func u43DetectFixed(cam *gocv.VideoCapture, net *gocv.Net) {
	img := gocv.NewMat()
	defer img.Close()
	for {
		cam.Read(&img)
		blob := gocv.BlobFromImage(img, 1, image.Pt(300, 300), gocv.NewScalar(0, 0, 0, 0), false, false)
		net.SetInput(blob, "data")
		prob := net.Forward("out")
		prob.Close()
		blob.Close()
	}
}
