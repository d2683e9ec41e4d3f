// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

type history struct {
	rows []*dev.Mat
	last *dev.Mat
	by   map[int]*dev.Mat
}

// Each kept row keeps its whole batch.
func (h *history) step(batch *dev.Mat) {
	row := batch.Row(0) // want `^matrix from Mat.Row is kept in h.rows and with it the whole parent: copy the part and release the view \(GM205\)$`
	if len(h.rows) > 16 {
		h.rows[0].Close()
		h.rows = h.rows[1:]
	}
	h.rows = append(h.rows, row)
}

func (h *history) note(i int, batch *dev.Mat) {
	if old, ok := h.by[i]; ok {
		old.Close()
	}
	h.by[i] = batch.Row(i) // want `is kept in h.by`
}

// The parent is closed, and its storage stays.
func (h *history) run(n int) {
	batch := dev.NewMat(n, n)
	defer batch.Close()
	if h.last != nil {
		h.last.Close()
	}
	h.last = batch.Row(n - 1) // want `is kept in h.last`
}

func firstRow(n int) *dev.Mat {
	batch := dev.NewMat(n, n)
	defer batch.Close()
	return batch.Row(0) // want `is kept in the result`
}

func (h *history) Close() {
	for _, m := range h.rows {
		m.Close()
	}
	for _, m := range h.by {
		m.Close()
	}
	if h.last != nil {
		h.last.Close()
	}
}
