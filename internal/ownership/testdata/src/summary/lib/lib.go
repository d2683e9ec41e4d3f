// Package lib is a library that speaks for itself with directives.
package lib

//gpumem:class lib.buffer noun=buffer verb=freed mem=device backstop=none again=crash

// Buffer is device memory.
//
//gpumem:resource lib.buffer release=Free
type Buffer struct{ p uintptr }

// New makes a buffer.
//
//gpumem:acquire lib.buffer result0
func New(n int) (*Buffer, error) { return &Buffer{p: 1}, nil }

// Free ends it.
//
//gpumem:release lib.buffer recv
func (b *Buffer) Free() { b.p = 0 }

// Len only looks.
func (b *Buffer) Len() int { return 1 }
