// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

type t29Template struct {
	mat    gocv.Mat
	scaled *gocv.Mat
}

// The old one is closed before the pointer to the new local goes in.
func (t *t29Template) Scale(to gocv.Mat) *gocv.Mat {
	if t.scaled != nil {
		t.scaled.Close()
		t.scaled = nil
	}
	cached := to.Clone()
	t.scaled = &cached
	return t.scaled
}

func (t *t29Template) Close() {
	if t.scaled != nil {
		t.scaled.Close()
		t.scaled = nil
	}
	t.mat.Close()
}

func t29Load(path string) *t29Template {
	m := gocv.IMRead(path, gocv.IMReadColor)
	if m.Empty() {
		m.Close()
		return nil
	}
	return &t29Template{mat: m}
}
