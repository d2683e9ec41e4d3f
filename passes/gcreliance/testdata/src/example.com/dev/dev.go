// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dev is the device library of these tests. Directives say what it
// does, since its bodies do nothing.
package dev

import "errors"

// A Buf is a buffer on the device; a second Free is a memory error.
//
//gpumem:class dev.buf noun="device buffer" verb=freed mem=device again=crash nil=crash
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
func (b *Buf) Free() error { b.handle = 0; return nil }

// Fill writes to the buffer.
//
//gpumem:use
func (b *Buf) Fill(v byte) error { return nil }

// A Mat may be closed as often as you like.
//
//gpumem:class dev.mat noun=Mat verb=closed mem=host again=ok nil=ok
//gpumem:resource dev.mat release=Close owned value
type Mat struct{ p uintptr }

func NewMat() Mat           { return Mat{1} }
func (m *Mat) Close() error { m.p = 0; return nil }
func (m *Mat) Empty() bool  { return m.p == 0 }
func (m *Mat) Clone() Mat   { return *m }

// A Session is closed once; a second time gives an error.
//
//gpumem:class dev.session noun=session verb=closed mem=device again=error nil=crash
//gpumem:resource dev.session release=Close owned
type Session struct{ p uintptr }

func NewSession() (*Session, error) { return nil, nil }
func (s *Session) Close() error     { return nil }
func (s *Session) Wait() error      { return nil }

// Handle is a raw handle with functions beside it.
type Handle uintptr

// Open makes one.
//
//gpumem:class dev.handle noun=handle verb=closed mem=device again=crash
//gpumem:acquire dev.handle result0
//gpumem:success always
func Open() Handle { return 1 }

// Close ends it.
//
//gpumem:release dev.handle h
func Close(h Handle) {}

// PoolAlloc takes a handle from a pool.
//
//gpumem:class dev.pooled noun="pooled handle" verb=returned mem=device again=crash
//gpumem:acquire dev.pooled result0
//gpumem:success always
func PoolAlloc(n int) Handle { return 1 }

// PoolFree returns it.
//
//gpumem:release dev.pooled h
func PoolFree(h Handle) {}

// Node is finalized by the library too.
//
//gpumem:class dev.node noun=node verb=unreferenced mem=device again=crash backstop=late
//gpumem:resource dev.node release=Unref owned
type Node struct{ p uintptr }

func NewNode() *Node      { return nil }
func (n *Node) Unref()    {}
func (n *Node) Play() int { return 0 }

// Array is freed by the collector too, and may be freed by hand.
//
//gpumem:class dev.array noun=array verb=destroyed mem=device again=ok nil=ok backstop=gc
//gpumem:resource dev.array release=Destroy owned
type Array struct{ p uintptr }

func NewArray() (*Array, error) { return nil, nil }
func (a *Array) Destroy()       {}
func (a *Array) Sum() float64   { return 0 }
