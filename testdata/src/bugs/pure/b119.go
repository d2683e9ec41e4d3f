// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/torch"

type b119Arena struct{ all []*b119Tensor }

func (a *b119Arena) put(t *b119Tensor) { a.all = append(a.all, t) }

func (a *b119Arena) Clean() {
	for _, t := range a.all {
		t.h.Free()
	}
	a.all = nil
}

type b119Tensor struct {
	h *torch.Handle
	a *b119Arena
}

// Every constructor registers its tensor in the arena, except this one.
func b119NewBug(a *b119Arena, data []float32) *b119Tensor {
	return &b119Tensor{h: torch.FromBlob(data), a: a}
}

func b119NewFixed(a *b119Arena, data []float32) *b119Tensor {
	t := &b119Tensor{h: torch.FromBlob(data), a: a}
	a.put(t)
	return t
}

// b119Sum uses a tensor and leaves it to the arena.
func b119SumBug(a *b119Arena, data []float32) float64 {
	t := b119NewBug(a, data) // want GM102
	return t.h.Sum()
}

func b119SumFixed(a *b119Arena, data []float32) float64 {
	t := b119NewFixed(a, data)
	return t.h.Sum()
}
