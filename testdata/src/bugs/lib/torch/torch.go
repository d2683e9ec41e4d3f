// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package torch stands for raw tensor handles under a wrapper.
package torch

// Handle is a tensor of the C++ library.
//
//gpumem:class torcht.handle noun=tensor verb=freed mem=device
//gpumem:resource torcht.handle release=Free owned
type Handle struct{ p uintptr }

func FromBlob(data []float32) *Handle { return nil }
func (h *Handle) Free()               {}
func (h *Handle) Sum() float64        { return 0 }

// Permute gives a tensor of its own; del frees the old one.
//
//gpumem:acquire torcht.handle result0
//gpumem:consume recv when=del
func (h *Handle) Permute(a, b, c int, del bool) *Handle { return nil }
