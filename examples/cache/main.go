// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command cache runs a model that keeps the output of every forward pass: the
// list lives as long as the model, and so does the device memory. Its Close comes
// too late. Beside it are two that keep something and do not grow: the last
// few outputs, and copies in host memory. Lint it with
//
//	go run ./cmd/gpumemlint ./examples/cache
package main

/*
#include "cuda_fake.h"
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

const outputBytes = 1 << 20

// leaky adds to its list with every pass.
type leaky struct{ cache []unsafe.Pointer }

func (m *leaky) forward() error {
	var out unsafe.Pointer
	if status := C.cudaMalloc(&out, outputBytes); status != C.cudaSuccess {
		return fmt.Errorf("allocate output: status %d", status)
	}
	m.cache = append(m.cache, out)
	return nil
}

// Close gives the outputs back, if it is ever called.
func (m *leaky) Close() {
	for _, p := range m.cache {
		C.cudaFree(p)
	}
	m.cache = nil
}

// ring keeps the last four.
type ring struct{ cache []unsafe.Pointer }

func (m *ring) forward() error {
	var out unsafe.Pointer
	if status := C.cudaMalloc(&out, outputBytes); status != C.cudaSuccess {
		return fmt.Errorf("allocate output: status %d", status)
	}
	if len(m.cache) == 4 {
		C.cudaFree(m.cache[0])
		m.cache = m.cache[1:]
	}
	m.cache = append(m.cache, out)
	return nil
}

func (m *ring) Close() {
	for _, p := range m.cache {
		C.cudaFree(p)
	}
	m.cache = nil
}

// host keeps a number for each output, and no output.
type host struct{ sizes []int }

func (m *host) forward() error {
	var out unsafe.Pointer
	if status := C.cudaMalloc(&out, outputBytes); status != C.cudaSuccess {
		return fmt.Errorf("allocate output: status %d", status)
	}
	defer C.cudaFree(out)
	m.sizes = append(m.sizes, outputBytes)
	return nil
}

func (m *host) Close() { m.sizes = nil }

type model interface {
	forward() error
	Close()
}

func main() {
	failed := false
	for _, m := range []model{&ring{}, &host{}, &leaky{}} {
		for i := range 100 {
			if err := m.forward(); err != nil {
				fmt.Fprintf(os.Stderr, "%T: pass %d: %v\n", m, i, err)
				failed = true
				break
			}
		}
		m.Close()
	}
	if failed {
		os.Exit(1)
	}
}
