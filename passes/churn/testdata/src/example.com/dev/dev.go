// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is a stand-in for a device library.
package dev

import "errors"

// A Buf is a buffer on the device.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device
//gpumem:resource dev.buf release=Free
type Buf struct{ p uintptr }

//gpumem:acquire result0
func New(n int) (*Buf, error) {
	if n < 0 {
		return nil, errors.New("negative size")
	}
	return &Buf{}, nil
}

//gpumem:acquire result0
func NewShaped(shape ...int) *Buf { return &Buf{} }

//gpumem:acquire result0
func Load(path string) (*Buf, error) { return &Buf{}, nil }

//gpumem:acquire result0
func NewFrom(data []float32) *Buf { return &Buf{} }

//gpumem:acquire result0
func (b *Buf) Clone() *Buf { return &Buf{} }

//gpumem:release recv
func (b *Buf) Free() { b.p = 0 }

//gpumem:use
func (b *Buf) Fill(v byte) error { return nil }

// A Scratch comes from a pool.
//
//gpumem:class dev.scratch noun="scratch buffer" verb=returned mem=device pool=mandatory
//gpumem:resource dev.scratch release=Return
type Scratch struct{ p uintptr }

//gpumem:acquire result0
func NewScratch(n int) *Scratch { return &Scratch{} }

//gpumem:release recv
func (s *Scratch) Return() { s.p = 0 }
