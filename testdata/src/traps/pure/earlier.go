// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	ort "github.com/yalue/onnxruntime_go"
	"gocv.io/x/gocv"
)

type earlierTile struct {
	in, out *ort.Tensor[float32]
	frame   gocv.Mat
}

// Each turn has an object of its own: that the last one's field was released
// says nothing about this one's.
func earlierTiles(tiles []*earlierTile, n int) error {
	for _, t := range tiles {
		if len(t.in.GetData()) < n {
			t.in.Destroy()
			continue
		}
		copy(t.out.GetData(), t.in.GetData())
		t.in.Destroy()
	}
	for _, t := range tiles {
		if len(t.out.GetData()) == 0 {
			return errFailed
		}
		t.out.Destroy()
	}
	return nil
}

// The same, found by a map and by a channel.
func earlierFrames(frames map[string]*earlierTile, more <-chan *earlierTile) int {
	rows := 0
	for _, t := range frames {
		rows += t.frame.Rows()
		t.frame.Close()
	}
	for t := range more {
		rows += t.frame.Rows()
		t.frame.Close()
	}
	return rows
}

// What is made in one turn goes into that turn's object.
func earlierFill(tiles []*earlierTile) error {
	for i, t := range tiles {
		x, err := ort.NewEmptyTensor[float32](ort.NewShape(1, 3))
		if err != nil {
			for _, done := range tiles[:i] {
				done.in.Destroy()
			}
			return err
		}
		t.in = x
	}
	return nil
}
