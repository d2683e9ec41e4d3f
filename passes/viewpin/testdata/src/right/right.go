// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

type history struct {
	batch *dev.Mat
	rows  []*dev.Mat
	last  *dev.Mat
}

// A copy of the row.
func (h *history) step(batch *dev.Mat) {
	row := batch.Row(0)
	defer row.Close()
	if len(h.rows) > 16 {
		h.rows[0].Close()
		h.rows = h.rows[1:]
	}
	h.rows = append(h.rows, row.Clone())
}

func (h *history) run(n int) {
	batch := dev.NewMat(n, n)
	defer batch.Close()
	if h.last != nil {
		h.last.Close()
	}
	row := batch.Row(n - 1)
	defer row.Close()
	h.last = row.Clone()
}

// The parent is kept as well.
func (h *history) split(n int) {
	if h.batch != nil {
		h.Close()
	}
	h.batch = dev.NewMat(n, n)
	h.last = h.batch.Row(0)
}

// All of it, in another shape.
func flat(n int) *dev.Mat {
	batch := dev.NewMat(n, n)
	defer batch.Close()
	return batch.Reshape(1)
}

// Used and closed.
func sum(batch *dev.Mat) float64 {
	row := batch.Row(0)
	defer row.Close()
	return row.Sum()
}

// A helper: what its caller does with the view is the caller's business.
func first(batch *dev.Mat) *dev.Mat { return batch.Row(0) }

func (h *history) Close() {
	for _, m := range h.rows {
		m.Close()
	}
	if h.last != nil {
		h.last.Close()
	}
	if h.batch != nil {
		h.batch.Close()
	}
}
