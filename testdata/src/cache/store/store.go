// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package store is a cache in a package of its own: what others hand in stays.
package store

import "gocv.io/x/gocv"

// LeakyFrames keeps each frame under its number.
type LeakyFrames struct{ byID map[string]gocv.Mat }

// Keep takes the frame over.
func (f *LeakyFrames) Keep(frameID string, m gocv.Mat) { f.byID[frameID] = m }

// Get lends it.
func (f *LeakyFrames) Get(frameID string) gocv.Mat { return f.byID[frameID] }

// Frames gives them up.
type Frames struct{ byID map[string]gocv.Mat }

func (f *Frames) Keep(frameID string, m gocv.Mat) {
	f.Drop(frameID)
	f.byID[frameID] = m
}

// Drop closes one.
func (f *Frames) Drop(frameID string) {
	if m, ok := f.byID[frameID]; ok {
		m.Close()
		delete(f.byID, frameID)
	}
}
