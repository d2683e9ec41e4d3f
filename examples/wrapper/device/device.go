// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package device wraps a driver whose functions are found at run time, as a
// program without cgo does: variables of function type, filled when the
// library is loaded. Nobody can read from Go what they do, so three directives
// say it once, here, for all users of the package. The driver of this example
// is a pretended one that counts.
package device

import "fmt"

// A Block is a piece of device memory.
//
//gpumem:class example.block noun="device block" verb=freed mem=device again=crash
//gpumem:resource example.block release=Free
type Block uint64

// driver stands for the symbols of a loaded library.
var driver = struct {
	alloc func(size int) (handle uint64, status int)
	free  func(handle uint64)
}{pretendAlloc, pretendFree}

// Alloc takes size bytes of device memory. The caller must free the block.
//
//gpumem:acquire example.block result0
func Alloc(size int) (Block, error) {
	handle, status := driver.alloc(size)
	if status != 0 {
		return 0, fmt.Errorf("allocate %d bytes: status %d", size, status)
	}
	return Block(handle), nil
}

// Free gives the block back.
//
//gpumem:release example.block b
func (b Block) Free() { driver.free(uint64(b)) }

// InUse returns how many bytes are taken.
func InUse() int { return inUse }

const capacity = 1 << 20

var (
	inUse int
	next  uint64
	sizes = map[uint64]int{}
)

func pretendAlloc(size int) (uint64, int) {
	if size > capacity-inUse {
		return 0, 2
	}
	next++
	sizes[next] = size
	inUse += size
	return next, 0
}

func pretendFree(handle uint64) {
	inUse -= sizes[handle]
	delete(sizes, handle)
}
