// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command leak is a small request loop in raw cgo that loses device memory in
// four ways, one a function. It builds with gcc alone: cuda_fake.h stands in
// for the CUDA runtime. Lint it with
//
//	go run ./cmd/gpumemlint ./examples/leak
//
// and run it to see the free memory of the pretended device shrink until
// cudaMalloc fails. The folder examples/clean holds the same program mended.
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

// newPair loses in when the second allocation fails: an error path that no
// test of a machine with enough memory takes.
func newPair(size int) (*pair, error) {
	var in, out unsafe.Pointer
	if status := C.cudaMalloc(&in, C.size_t(size)); status != C.cudaSuccess {
		return nil, fmt.Errorf("allocate input of %d bytes: status %d", size, status)
	}
	if status := C.cudaMalloc(&out, C.size_t(size)); status != C.cudaSuccess {
		return nil, fmt.Errorf("allocate output of %d bytes: status %d", size, status)
	}
	return &pair{in: in, out: out}, nil
}

// Close gives both buffers back.
func (p *pair) Close() {
	C.cudaFree(p.in)
	C.cudaFree(p.out)
}

// warmUp never frees its scratch buffer.
func warmUp(size int) error {
	var scratch unsafe.Pointer
	if status := C.cudaMalloc(&scratch, C.size_t(size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate scratch of %d bytes: status %d", size, status)
	}
	return nil
}

// grow assigns the larger buffer over the one that the variable still owns.
func grow(size int) error {
	var buf unsafe.Pointer
	if status := C.cudaMalloc(&buf, C.size_t(size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate %d bytes: status %d", size, status)
	}
	if status := C.cudaMalloc(&buf, C.size_t(2*size)); status != C.cudaSuccess {
		return fmt.Errorf("allocate %d bytes: status %d", 2*size, status)
	}
	C.cudaFree(buf)
	return nil
}

// serve defers inside the loop: every buffer is kept until the last request
// has been served.
func serve(requests []int) error {
	for _, size := range requests {
		p, err := newPair(size)
		if err != nil {
			return err
		}
		defer p.Close()
		fmt.Println("served a request of", size, "bytes")
	}
	return nil
}

func free() int {
	var available, total C.size_t
	C.cudaMemGetInfo(&available, &total)
	return int(available)
}

func main() {
	for round := 1; ; round++ {
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
