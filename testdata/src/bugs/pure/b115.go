// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"image"

	"gocv.io/x/gocv"
)

type b115PipelineBug struct {
	display gocv.Mat
	zoomed  gocv.Mat
}

func (p *b115PipelineBug) Close() {
	p.display.Close()
	p.zoomed.Close()
}

// One of two sibling fields is closed before it is assigned again.
func (p *b115PipelineBug) update(frame gocv.Mat, r image.Rectangle) {
	p.display.Close()
	p.display = frame.Clone()
	p.zoomed = frame.Region(r) // want GM104
}

type b115PipelineFixed struct {
	display gocv.Mat
	zoomed  gocv.Mat
}

func (p *b115PipelineFixed) Close() {
	p.display.Close()
	p.zoomed.Close()
}

func (p *b115PipelineFixed) update(frame gocv.Mat, r image.Rectangle) {
	p.display.Close()
	p.display = frame.Clone()
	p.zoomed.Close()
	p.zoomed = frame.Region(r)
}
