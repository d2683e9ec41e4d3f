// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import (
	"errors"
	"unsafe"
)

// The host reads what the stream may not have written yet.
func b101SumBug(dev unsafe.Pointer, n int, s C.cudaStream_t) (float32, error) {
	host := C.malloc(C.size_t(4 * n))
	defer C.free(host)
	if C.cudaMemcpyAsync(host, dev, C.size_t(4*n), 2, s) != C.cudaSuccess {
		return 0, errors.New("copy")
	}
	var sum float32
	for _, v := range unsafe.Slice((*float32)(host), n) { // want GM303
		sum += v
	}
	return sum, nil
}

func b101SumFixed(dev unsafe.Pointer, n int, s C.cudaStream_t) (float32, error) {
	host := C.malloc(C.size_t(4 * n))
	defer C.free(host)
	if C.cudaMemcpyAsync(host, dev, C.size_t(4*n), 2, s) != C.cudaSuccess {
		return 0, errors.New("copy")
	}
	if C.cudaStreamSynchronize(s) != C.cudaSuccess {
		return 0, errors.New("synchronize")
	}
	var sum float32
	for _, v := range unsafe.Slice((*float32)(host), n) {
		sum += v
	}
	return sum, nil
}
