// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

// A method converts into a new Mat of its own and closes it on no return.
func b11ToImageBug(m gocv.Mat) (image.Image, error) {
	dst := gocv.NewMat() // want GM102
	if err := gocv.CvtColor(m, &dst, gocv.ColorBGRToRGBA); err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, m.Cols(), m.Rows()))
	copy(img.Pix, dst.ToBytes())
	return img, nil
}

func b11ToImageFixed(m gocv.Mat) (image.Image, error) {
	dst := gocv.NewMat()
	defer dst.Close()
	if err := gocv.CvtColor(m, &dst, gocv.ColorBGRToRGBA); err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, m.Cols(), m.Rows()))
	copy(img.Pix, dst.ToBytes())
	return img, nil
}
