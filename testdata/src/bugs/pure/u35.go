// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// The previous frame is a clone that each new frame replaces.
func u35CountBug(cam *gocv.VideoCapture) int {
	frame := gocv.NewMat()
	defer frame.Close()
	before := gocv.NewMat()
	defer before.Close()
	moved := 0
	for cam.Read(&frame) {
		moved += gocv.CountNonZero(before)
		before = frame.Clone() // want GM104
	}
	return moved
}

func u35CountFixed(cam *gocv.VideoCapture) int {
	frame := gocv.NewMat()
	defer frame.Close()
	before := gocv.NewMat()
	defer before.Close()
	moved := 0
	for cam.Read(&frame) {
		moved += gocv.CountNonZero(before)
		frame.CopyTo(&before)
	}
	return moved
}
