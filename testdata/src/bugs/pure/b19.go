// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

// A network is loaded, used and never closed.
func b19ForwardBug(model string, img gocv.Mat) float32 {
	net := gocv.ReadNet(model, "") // want GM102
	if net.Empty() {
		return 0
	}
	blob := gocv.BlobFromImage(img, 1, image.Pt(224, 224), gocv.NewScalar(0, 0, 0, 0), false, false)
	defer blob.Close()
	net.SetInput(blob, "input")
	prob := net.Forward("softmax2")
	defer prob.Close()
	return prob.GetFloatAt(0, 0)
}

func b19ForwardFixed(model string, img gocv.Mat) float32 {
	net := gocv.ReadNet(model, "")
	defer net.Close()
	if net.Empty() {
		return 0
	}
	blob := gocv.BlobFromImage(img, 1, image.Pt(224, 224), gocv.NewScalar(0, 0, 0, 0), false, false)
	defer blob.Close()
	net.SetInput(blob, "input")
	prob := net.Forward("softmax2")
	defer prob.Close()
	return prob.GetFloatAt(0, 0)
}
