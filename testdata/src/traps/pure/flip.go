// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// flipped has two lists of frames that change places: each is a copy of the
// other.
type flipped struct{ front, back []gocv.Mat }

func (f *flipped) add() { f.front = append(f.front, gocv.NewMat()) }

func (f *flipped) flip() {
	f.front, f.back = f.back[:0], f.front
	for i := range f.back {
		f.back[i].Close()
	}
}

func (f *flipped) last() gocv.Mat {
	f.front, f.back = f.back, f.front
	return f.back[len(f.back)-1]
}
