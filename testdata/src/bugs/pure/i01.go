// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// The eroded picture is closed before the loop that reads it.
func i01ScanBug(img, kernel gocv.Mat) int {
	eroded := gocv.NewMat()
	gocv.Erode(img, &eroded, kernel)
	rows, cols := eroded.Rows(), eroded.Cols()
	eroded.Close()
	white := 0
	for y := 0; y < rows; y++ {
		for x := 0; x < cols; x++ {
			if eroded.GetUCharAt(y, x) == 255 { // want GM301
				white++
			}
		}
	}
	return white
}

func i01ScanFixed(img, kernel gocv.Mat) int {
	eroded := gocv.NewMat()
	defer eroded.Close()
	gocv.Erode(img, &eroded, kernel)
	rows, cols := eroded.Rows(), eroded.Cols()
	white := 0
	for y := 0; y < rows; y++ {
		for x := 0; x < cols; x++ {
			if eroded.GetUCharAt(y, x) == 255 {
				white++
			}
		}
	}
	return white
}
