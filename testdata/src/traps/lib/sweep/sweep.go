// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package sweep stands for a library with mark and sweep by hand.
package sweep

// Array belongs to the library; a sweep frees it unless it is pinned.
//
//gpumem:class sweept.array noun=array verb=freed mem=device
type Array struct{ h uintptr }

//gpumem:borrow result0
func FromValues(v []int32) *Array { return nil }

//gpumem:borrow result0
func (a *Array) Add(b *Array) *Array { return nil }

func (a *Array) Len() int { return 0 }

//gpumem:pin arrays[]
func Pin(arrays ...*Array) {}

//gpumem:unpin arrays[]
func Unpin(arrays ...*Array) {}

//gpumem:sweep sweept.array
func Sweep() {}
