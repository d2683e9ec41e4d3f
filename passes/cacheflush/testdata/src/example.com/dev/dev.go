// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is a stand-in for a library with a caching allocator.
package dev

import "errors"

// A Buf is a buffer on the device.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device
//gpumem:resource dev.buf release=Free
type Buf struct{ p uintptr }

// A Model is what takes long to load.
//
//gpumem:class dev.model noun=model verb=closed mem=device
//gpumem:resource dev.model release=Close
type Model struct{ p uintptr }

var ErrOutOfMemory = errors.New("out of memory")

//gpumem:acquire result0
func New(n int) (*Buf, error) { return &Buf{}, nil }

//gpumem:release recv
func (b *Buf) Free() { b.p = 0 }

//gpumem:acquire result0
func Load(path string) (*Model, error) { return &Model{}, nil }

//gpumem:release recv
func (m *Model) Close() { m.p = 0 }

//gpumem:use
func (m *Model) Run(x []float32) error { return nil }

//gpumem:use
func MemInfo() (free, total int64) { return 0, 0 }

//gpumem:flush
func EmptyCache() {}

// Trim keeps that many bytes.
//
//gpumem:flush
func Trim(keep int64) error { return nil }

//gpumem:nograd
func Quiet(fn func()) { fn() }
