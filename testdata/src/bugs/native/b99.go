// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"
)

type b99Storage struct {
	ptr  unsafe.Pointer
	pool bool
}

func b99NewStorage(p unsafe.Pointer) *b99Storage {
	s := &b99Storage{ptr: p}
	runtime.SetFinalizer(s, func(s *b99Storage) { C.cudaFree(s.ptr) })
	return s
}

func b99NewStorageFromPool(p unsafe.Pointer) *b99Storage {
	s := &b99Storage{ptr: p, pool: true}
	runtime.SetFinalizer(s, func(s *b99Storage) { C.pool_free(s.ptr) })
	return s
}

// What the pool lent is freed as if it were the driver's.
func b99AddBug(n int) *b99Storage {
	p := C.pool_alloc(C.size_t(n))
	return b99NewStorage(p) // want GM402
}

func b99AddFixed(n int) *b99Storage {
	p := C.pool_alloc(C.size_t(n))
	return b99NewStorageFromPool(p)
}
