// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is a stand-in for a library with an environment, contexts and
// buffers in them.
package dev

// Open begins the use of the library.
//
//gpumem:class dev.env noun=environment verb=closed process
//gpumem:acquire dev.env
func Open() error { return nil }

// Close ends it.
//
//gpumem:release dev.env
func Close() error { return nil }

// A Context is where buffers live.
//
//gpumem:class dev.context noun=context verb=closed mem=device again=error before=dev.env
//gpumem:resource dev.context release=Close
type Context struct{ p uintptr }

// A Buf is a buffer on the device.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device again=error before=dev.env
//gpumem:resource dev.buf release=Free
type Buf struct{ p uintptr }

//gpumem:acquire result0
func NewContext() (*Context, error) { return &Context{}, nil }

//gpumem:release recv
func (c *Context) Close() error { c.p = 0; return nil }

//gpumem:acquire result0
//gpumem:order result0 of=recv
func (c *Context) Alloc(n int) (*Buf, error) { return &Buf{}, nil }

//gpumem:acquire result0
//gpumem:order result0 of=c
func Alloc(c *Context, n int) (*Buf, error) { return &Buf{}, nil }

//gpumem:release recv
func (b *Buf) Free() { b.p = 0 }

//gpumem:use
func (b *Buf) Fill(v byte) error { return nil }

// Name works without the environment.
//
//gpumem:use
func Name() string { return "" }
