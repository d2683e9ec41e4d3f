// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is the device library of these tests. Directives say what it
// does, since its bodies do nothing.
package dev

import (
	"context"
	"errors"
)

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

// Watch reports events until the context ends.
//
//gpumem:class dev.watch noun="watch" verb=cancelled mem=handle again=ok
//gpumem:acquire dev.watch result0
//gpumem:cancel ctx
func Watch(ctx context.Context, n int) (<-chan int, error) {
	if n < 0 {
		return nil, errors.New("negative size")
	}
	return make(chan int), nil
}

// Init opens the library for the process and returns what closes it, as
// Shutdown does.
//
//gpumem:class dev.lib noun="library" verb="shut down" mem=handle process again=error
//gpumem:acquire dev.lib
//gpumem:cleanup result0
func Init() (stop func(), err error) { return func() { Shutdown() }, nil }

// Shutdown closes it.
//
//gpumem:release dev.lib
func Shutdown() error { return nil }

// Must is New for sizes that cannot fail.
//
//gpumem:acquire dev.buf result0
//gpumem:success always
func Must(n int) *Buf { return &Buf{uint64(n)} }

// A Surface lends one frame at a time, and takes it back itself.
type Surface struct{ frame *Frame }

// A Frame is what is drawn on.
//
//gpumem:class dev.frame noun=frame verb="given back" mem=device again=error
//gpumem:resource dev.frame
type Frame struct{ n int }

//gpumem:acquire dev.frame result0
func (s *Surface) Next() (*Frame, error) { return s.frame, nil }

//gpumem:release dev.frame f
func (s *Surface) Present(f *Frame) error { return nil }

//gpumem:release dev.frame keyed
func (s *Surface) Discard() {}

// ErrClosed says that the device is closed.
var ErrClosed = errors.New("closed")

// Len is the size in bytes.
//
//gpumem:use
func (b *Buf) Len() int { return int(b.handle) }

// A Storage is where the elements of a tensor lie, on the device or not.
type Storage interface{ Len() int }

// A Tensor holds its storage.
type Tensor struct{ storage Storage }

// NewTensor keeps s.
func NewTensor(s Storage) (*Tensor, error) {
	if s.Len() == 0 {
		return nil, errors.New("empty")
	}
	return &Tensor{storage: s}, nil
}

// SetStorage keeps s too.
func (t *Tensor) SetStorage(s Storage) { t.storage = s }

// Total only looks at it.
func Total(s Storage) int { return s.Len() }
