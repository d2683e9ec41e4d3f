// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev stands for a library with device buffers.
package dev

import "errors"

// Buf is a buffer on the device.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device again=crash
//gpumem:resource dev.buf release=Free owned
type Buf struct{ p uintptr }

func New(n int) (*Buf, error) {
	if n < 0 {
		return nil, errors.New("negative size")
	}
	return &Buf{}, nil
}

//gpumem:release recv
func (b *Buf) Free() error { return nil }

//gpumem:use
func (b *Buf) Fill(v byte) {}

//gpumem:use
func (b *Buf) Len() int { return 0 }

// Freed asks about the handle.
func (b *Buf) Freed() bool { return b.p == 0 }

// View is the buffer's memory.
//
//gpumem:view result0 of=recv
func (b *Buf) View() []byte { return nil }

// Part is owned by b.
//
//gpumem:borrow result0 of=recv
func (b *Buf) Part(i int) *Buf { return nil }

// Stream orders work.
//
//gpumem:class dev.stream noun=stream verb=closed again=ok
//gpumem:resource dev.stream release=Close owned
type Stream struct{ p uintptr }

func NewStream() (*Stream, error) { return &Stream{}, nil }

//gpumem:release recv
func (s *Stream) Close() error { return nil }

//gpumem:sync recv
func (s *Stream) Wait() error { return nil }

//gpumem:async dst of=s
//gpumem:async src of=s
func CopyAsync(dst, src *Buf, s *Stream) error { return nil }

//gpumem:use
func Copy(dst, src *Buf) error { return nil }

// Pool takes buffers over.
type Pool struct{}

//gpumem:consume b of=p
func (p *Pool) Put(b *Buf) {}

// Join frees its arguments into a new buffer.
//
//gpumem:consume a
//gpumem:consume b
func Join(a, b *Buf) (*Buf, error) { return &Buf{}, nil }

// Retain takes another reference.
//
//gpumem:retain b of=recv
func (s *Stream) Retain(b *Buf) {}

// Desc refers to a buffer.
type Desc struct{}

//gpumem:keep b of=result0
func NewDesc(b *Buf) *Desc { return nil }

//gpumem:use
func (d *Desc) Run() error { return nil }

// Shared is the library's own buffer.
//
//gpumem:borrow result0
func Shared() *Buf { return nil }

// A Session runs on a stream, or a buffer, and closes it.
type Session struct{}

//gpumem:adopt s of=recv
func (x *Session) UseStream(s *Stream) {}

//gpumem:adopt b of=recv
func (x *Session) UseBuf(b *Buf) {}
