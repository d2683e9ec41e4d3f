// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

type b23ImageBug struct {
	scaled gocv.Mat
}

func (i *b23ImageBug) Close() { i.scaled.Close() }

// preprocess runs once a frame and overwrites the scaled copy of the last one.
func (i *b23ImageBug) preprocess(frame gocv.Mat) {
	i.scaled = frame.Clone() // want GM104
}

func b23RunBug(cam *gocv.VideoCapture) {
	frame := gocv.NewMat()
	defer frame.Close()
	var img b23ImageBug
	defer img.Close()
	for cam.Read(&frame) {
		img.preprocess(frame)
	}
}

type b23ImageFixed struct {
	scaled gocv.Mat
}

func (i *b23ImageFixed) Close() { i.scaled.Close() }

func (i *b23ImageFixed) preprocess(frame gocv.Mat) {
	i.scaled.Close()
	i.scaled = frame.Clone()
}

func b23RunFixed(cam *gocv.VideoCapture) {
	frame := gocv.NewMat()
	defer frame.Close()
	var img b23ImageFixed
	defer img.Close()
	for cam.Read(&frame) {
		img.preprocess(frame)
	}
}
