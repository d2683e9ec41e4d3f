// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

type t09Result struct {
	mat   gocv.Mat
	boxes int
}

// The frame leaves in a struct on a channel; who takes it out closes it.
func t09Detect(cam *gocv.VideoCapture, results chan<- t09Result) {
	defer close(results)
	for {
		frame := gocv.NewMat()
		if ok := cam.Read(&frame); !ok {
			frame.Close()
			return
		}
		results <- t09Result{mat: frame, boxes: frame.Rows()}
	}
}

func t09Show(cam *gocv.VideoCapture, w *gocv.Window) {
	results := make(chan t09Result, 2)
	go t09Detect(cam, results)
	for {
		result, ok := <-results
		if !ok {
			break
		}
		w.IMShow(result.mat)
		result.mat.Close()
	}
}
