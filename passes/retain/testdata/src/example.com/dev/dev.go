// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is the device library of these tests. Directives say what it
// does, since its bodies do nothing.
package dev

import "errors"

// A Buf is a buffer on the device.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device again=crash
//gpumem:resource dev.buf release=Free
type Buf struct{ handle uint64 }

// New takes n bytes.
//
//gpumem:acquire dev.buf result0
func New(n int) (*Buf, error) {
	if n < 0 {
		return nil, errors.New("negative size")
	}
	return &Buf{uint64(n)}, nil
}

// Free gives the buffer back.
//
//gpumem:release dev.buf recv
func (b *Buf) Free() { b.handle = 0 }

// Fill writes to the buffer.
//
//gpumem:use
func (b *Buf) Fill(v byte) error { return nil }
