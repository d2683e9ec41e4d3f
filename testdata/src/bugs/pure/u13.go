// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"sync"

	"gocv.io/x/gocv"
)

// u13Frames keeps the newest frames and closes the oldest to make room.
type u13Frames struct {
	mu    sync.Mutex
	byNo  map[int]gocv.Mat
	order []int
}

func (f *u13Frames) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.byNo {
		m.Close()
	}
	f.byNo, f.order = nil, nil
}

func (f *u13Frames) evict() {
	for len(f.order) >= 8 {
		old := f.byNo[f.order[0]]
		old.Close()
		delete(f.byNo, f.order[0])
		f.order = f.order[1:]
	}
}

// The frame that is handed out is closed as soon as eight newer ones are
// loaded, whoever still shows it.
func (f *u13Frames) LoadBug(no int) gocv.Mat {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, ok := f.byNo[no]; ok {
		return m
	}
	f.evict()
	m := gocv.IMRead("frame", gocv.IMReadColor)
	f.byNo[no] = m
	f.order = append(f.order, no)
	return m
}

func (f *u13Frames) LoadFixed(no int) gocv.Mat {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, ok := f.byNo[no]; ok {
		return m.Clone()
	}
	f.evict()
	m := gocv.IMRead("frame", gocv.IMReadColor)
	f.byNo[no] = m
	f.order = append(f.order, no)
	return m.Clone()
}

// The user interface shows frames while this loads further ones.
func u13PlayBug(f *u13Frames, from, to int, show chan<- gocv.Mat) {
	for no := from; no < to; no++ {
		show <- f.LoadBug(no) // want GM303
	}
}

func u13PlayFixed(f *u13Frames, from, to int, show chan<- gocv.Mat) {
	for no := from; no < to; no++ {
		show <- f.LoadFixed(no)
	}
}
