// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package device is a small library for device memory, as a project might have
// one: on a GPU it would call a driver, here it sits on the simulated device of
// gpumemlint's runtime, so that the example needs no GPU. The directives are
// all that gpumemlint has to be told; what the packages on top do, it infers.
package device

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// A Device gives out memory.
type Device struct{ mem *gpumem.Device }

// Open returns a simulated device with as many bytes of memory.
func Open(bytes int64) (*Device, error) {
	mem, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: bytes}))
	if err != nil {
		return nil, fmt.Errorf("open the device: %w", err)
	}
	return &Device{mem: mem}, nil
}

// A Block is a piece of device memory. It must be freed once.
//
//gpumem:class prove.block noun="device block" verb=freed mem=device again=error
//gpumem:resource prove.block release=Free
type Block struct{ buf gpumem.Buffer }

// Alloc takes memory. The caller must free the block.
//
//gpumem:acquire prove.block result0
func (d *Device) Alloc(bytes int) (*Block, error) {
	buf, err := d.mem.Alloc(int64(bytes))
	if err != nil {
		return nil, fmt.Errorf("allocate a block: %w", err)
	}
	return &Block{buf: buf}, nil
}

// Free gives the block back.
//
//gpumem:release prove.block b
func (b *Block) Free() error { return b.buf.Close() }

// Bytes is the size of the block.
//
//gpumem:use
func (b *Block) Bytes() int { return int(b.buf.Len()) }
