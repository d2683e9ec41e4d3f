// Package dev is a library of device memory that counts.
package dev

import "errors"

// A Mem is device memory.
//
//gpumem:class dev.mem noun="device memory" verb=freed mem=device again=crash
//gpumem:resource dev.mem release=Free
type Mem struct{ bytes int }

// Alloc takes memory.
//
//gpumem:acquire dev.mem result0
func Alloc(bytes int) (*Mem, error) {
	if bytes < 0 {
		return nil, errors.New("negative size")
	}
	return &Mem{bytes: bytes}, nil
}

// Must takes memory and cannot fail.
//
//gpumem:acquire dev.mem result0
//gpumem:success always
func Must(bytes int) *Mem { return &Mem{bytes: bytes} }

// Free gives it back.
//
//gpumem:release dev.mem m
func (m *Mem) Free() { m.bytes = 0 }

// Bytes is the size.
//
//gpumem:use
func (m *Mem) Bytes() int { return m.bytes }

// Copy copies memory.
//
//gpumem:use
func Copy(dst, src *Mem) error {
	if dst.bytes < src.bytes {
		return errors.New("does not fit")
	}
	return nil
}
