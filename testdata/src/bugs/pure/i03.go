// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

// A vector per frame, closed at the end of a function that never ends.
func i03ContoursBug(cam *gocv.VideoCapture) {
	img := gocv.NewMat()
	defer img.Close()
	for cam.Read(&img) {
		contours := gocv.FindContours(img, 0, 0)
		defer contours.Close() // want GM105
		_ = contours.Size()
	}
}

func i03ContoursFixed(cam *gocv.VideoCapture) {
	img := gocv.NewMat()
	defer img.Close()
	for cam.Read(&img) {
		contours := gocv.FindContours(img, 0, 0)
		_ = contours.Size()
		contours.Close()
	}
}

// Vectors in a slice that nobody goes through again.
func i03CollectBug(rings [][][]image.Point) int {
	var all []*gocv.PointsVector
	for _, r := range rings {
		v := gocv.NewPointsVectorFromPoints(r) // want GM102
		all = append(all, &v)
	}
	return len(all)
}

func i03CollectFixed(rings [][][]image.Point) int {
	var all []*gocv.PointsVector
	for _, r := range rings {
		v := gocv.NewPointsVectorFromPoints(r)
		all = append(all, &v)
	}
	n := len(all)
	for _, v := range all {
		v.Close()
	}
	return n
}
