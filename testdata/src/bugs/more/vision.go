// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package more

import (
	"errors"
	"image"

	"gocv.io/x/gocv"
	"gocv.io/x/gocv/cuda"
)

// tracker keeps a background and a template.
type tracker struct {
	background gocv.Mat
	template   gocv.Mat
	count      int
}

func (t *tracker) Close() {
	t.background.Close()
	t.template.Close()
}

// Learn replaces the template by a part of the frame.
func (t *tracker) Learn(frame gocv.Mat, r image.Rectangle) {
	part := frame.Region(r)
	defer part.Close()
	t.template = part.Clone() // want GM104
	t.count++
}

// Match leaves its result behind where nothing is found.
func (t *tracker) Match(frame gocv.Mat) (image.Point, error) {
	result := gocv.NewMat()
	mask := gocv.NewMat()
	defer mask.Close()
	gocv.MatchTemplate(frame, t.template, &result, 5, mask)
	_, score, _, at := gocv.MinMaxLoc(result)
	if score < 0.8 {
		return image.Point{}, errors.New("no match") // want GM101
	}
	result.Close()
	return at, nil
}

// pyramid hands out levels; the caller below forgets them.
func pyramid(img gocv.Mat, levels int) []gocv.Mat {
	var out []gocv.Mat
	for i := 0; i < levels; i++ {
		m := gocv.NewMat()
		gocv.Resize(img, &m, image.Pt(0, 0), 0.5, 0.5, gocv.InterpolationDefault)
		out = append(out, m)
	}
	return out
}

func sharpest(img gocv.Mat) int {
	best := 0
	for i, m := range pyramid(img, 4) { // want GM102
		if gocv.CountNonZero(m) > best {
			best = i
		}
	}
	return best
}

// filterAll uploads every frame and closes only one of the two device images.
func filterAll(frames []gocv.Mat, emit func(gocv.Mat)) {
	for _, f := range frames {
		in := cuda.NewGpuMatFromMat(f)
		out := cuda.NewGpuMat() // want GM102
		cuda.Abs(in, &out)
		host := gocv.NewMat()
		out.Download(&host)
		in.Close()
		emit(host)
		host.Close()
	}
}

// contours keeps the vector for its points only.
func contours(img gocv.Mat) int {
	total := 0
	found := gocv.FindContours(img, 0, 0) // want GM102
	for i := 0; i < found.Size(); i++ {
		total += found.At(i).Size()
	}
	return total
}

// record opens both ends and loses one when the other fails.
func record(in, out string) error {
	cam, err := gocv.OpenVideoCapture(in)
	if err != nil {
		return err
	}
	w, err := gocv.VideoWriterFile(out, "MJPG", 25, 640, 480, true)
	if err != nil {
		return err // want GM101
	}
	defer cam.Close()
	defer w.Close()
	frame := gocv.NewMat()
	defer frame.Close()
	for cam.Read(&frame) {
		w.Write(frame)
	}
	return nil
}
