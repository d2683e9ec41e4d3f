// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The host buffer is lost where the copy fails.
func u59ToHostBug(dev unsafe.Pointer, n int) (unsafe.Pointer, error) {
	addr := C.malloc(C.size_t(n))
	if addr == nil {
		return nil, errFailed
	}
	if C.cudaMemcpy(addr, dev, C.size_t(n), 2) != C.cudaSuccess {
		return nil, errFailed // want GM101
	}
	return addr, nil
}

func u59ToHostFixed(dev unsafe.Pointer, n int) (unsafe.Pointer, error) {
	addr := C.malloc(C.size_t(n))
	if addr == nil {
		return nil, errFailed
	}
	if C.cudaMemcpy(addr, dev, C.size_t(n), 2) != C.cudaSuccess {
		C.free(addr)
		return nil, errFailed
	}
	return addr, nil
}
