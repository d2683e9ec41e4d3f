// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package more

// #cgo CFLAGS: -I${SRCDIR}/../native
// #include "native.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

var errDevice = errors.New("device error")

// buffer is device memory with a host mirror.
type buffer struct {
	dev, host unsafe.Pointer
	n         C.size_t
}

// newBuffer loses the device side where there is no host memory.
func newBuffer(n int) (*buffer, error) {
	b := &buffer{n: C.size_t(n)}
	if C.cudaMalloc(&b.dev, b.n) != C.cudaSuccess {
		return nil, errDevice
	}
	b.host = C.malloc(b.n)
	if b.host == nil {
		return nil, errors.New("no host memory") // want GM101
	}
	return b, nil
}

func (b *buffer) free() {
	C.cudaFree(b.dev)
	C.free(b.host)
}

// Resize replaces both sides and frees one.
func (b *buffer) Resize(n int) error {
	var dev unsafe.Pointer
	if st := C.cudaMalloc(&dev, C.size_t(n)); st != C.cudaSuccess {
		return fmt.Errorf("resize: %d", int(st))
	}
	C.free(b.host)
	b.host = C.malloc(C.size_t(n))
	b.dev = dev // want GM104
	b.n = C.size_t(n)
	return nil
}

// upload checks after it has allocated.
func upload(data []byte) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, C.size_t(len(data))) != C.cudaSuccess {
		return nil, errDevice
	}
	if len(data) == 0 {
		return nil, errors.New("no data") // want GM101
	}
	if st := C.cudaMemcpy(p, unsafe.Pointer(&data[0]), C.size_t(len(data)), 1); st != C.cudaSuccess {
		C.cudaFree(p)
		return nil, errDevice
	}
	return p, nil
}

// sum uploads two and frees one.
func sum(a, b []byte) error {
	pa, err := upload(a)
	if err != nil {
		return err
	}
	defer C.cudaFree(pa)
	pb, err := upload(b) // want GM102
	if err != nil {
		return err
	}
	if C.cudaMemset(pb, 0, 8) != C.cudaSuccess {
		return errDevice
	}
	return nil
}

// names converts for a callee that only reads.
func names(api unsafe.Pointer, list []string) {
	for _, n := range list {
		c := C.CString(n) // want GM102
		C.set_variable(api, c, nil)
	}
}

// rounds keeps scratch memory per round until the end.
func rounds(n int) error {
	for i := 0; i < n; i++ {
		var scratch unsafe.Pointer
		if C.cudaMalloc(&scratch, 1024) != C.cudaSuccess {
			return errDevice
		}
		defer C.cudaFree(scratch) // want GM105
		C.cudaMemset(scratch, 0, 1024)
	}
	return nil
}

// early evaluates the argument too soon.
func early(n int) error {
	var p unsafe.Pointer
	defer C.cudaFree(p) // want GM106
	if C.cudaMalloc(&p, C.size_t(n)) != C.cudaSuccess {
		return errDevice
	}
	C.cudaMemset(p, 0, C.size_t(n))
	return nil
}
