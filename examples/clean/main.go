// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command clean is the program of examples/leak mended: the same functions,
// each giving back what it took on every path. gpumemlint is silent on it.
package main

/*
#include "cuda_fake.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

const mib = 1 << 20

// pair holds the two buffers of a request.
type pair struct {
	in, out unsafe.Pointer
}

// newPair frees in when the second allocation fails.
func newPair(size int) (*pair, error) {
	var in, out unsafe.Pointer
	if status := C.cudaMalloc(&in, C.size_t(size)); status != C.cudaSuccess {
		return nil, fmt.Errorf("allocate input of %d bytes: status %d", size, status)
	}
	if status := C.cudaMalloc(&out, C.size_t(size)); status != C.cudaSuccess {
		C.cudaFree(in)
		return nil, fmt.Errorf("allocate output of %d bytes: status %d", size, status)
	}
	return &pair{in: in, out: out}, nil
}

// Close gives both buffers back.
func (p *pair) Close() {
	C.cudaFree(p.in)
	C.cudaFree(p.out)
}

// warmUp frees its scratch buffer when it returns.
func warmUp(size int) error {
	var scratch unsafe.Pointer
	if status := C.cudaMalloc(&scratch, C.size_t(size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate scratch of %d bytes: status %d", size, status)
	}
	defer C.cudaFree(scratch)
	return nil
}

// grow frees the small buffer before it asks for the larger one.
func grow(size int) error {
	var buf unsafe.Pointer
	if status := C.cudaMalloc(&buf, C.size_t(size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate %d bytes: status %d", size, status)
	}
	C.cudaFree(buf)
	if status := C.cudaMalloc(&buf, C.size_t(2*size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate %d bytes: status %d", 2*size, status)
	}
	C.cudaFree(buf)
	return nil
}

// serve closes each pair when its request is done.
func serve(requests []int) error {
	for _, size := range requests {
		if err := serveOne(size); err != nil {
			return err
		}
	}
	return nil
}

func serveOne(size int) error {
	p, err := newPair(size)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Println("served a request of", size, "bytes")
	return nil
}

func free() int {
	var available, total C.size_t
	C.cudaMemGetInfo(&available, &total)
	return int(available)
}

func main() {
	for round := 1; round <= 3; round++ {
		err := serve([]int{mib, 2 * mib, 4 * mib})
		if err == nil {
			err = warmUp(mib)
		}
		if err == nil {
			err = grow(mib)
		}
		fmt.Printf("round %d: %d MiB free\n", round, free()/mib)
		if err != nil {
			fmt.Println("stopped:", err)
			return
		}
	}
}
