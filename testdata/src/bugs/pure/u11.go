// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// The frame that could not be read is lost, and a fresh one handed out.
func u11LoadBug(video *gocv.VideoCapture) (gocv.Mat, bool) {
	mat := gocv.NewMat()
	if ok := video.Read(&mat); !ok {
		return gocv.NewMat(), false // want GM101
	}
	return mat, true
}

func u11LoadFixed(video *gocv.VideoCapture) (gocv.Mat, bool) {
	mat := gocv.NewMat()
	if ok := video.Read(&mat); !ok {
		mat.Close()
		return gocv.NewMat(), false
	}
	return mat, true
}
