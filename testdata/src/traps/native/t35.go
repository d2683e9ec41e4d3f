// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"
)

type t35Buffer struct {
	ptr  unsafe.Pointer
	size int
}

// Documented policy: the finalizer frees, and WithPtr keeps the buffer alive.
func t35Alloc(size int) (*t35Buffer, error) {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, C.size_t(size)) != C.cudaSuccess {
		return nil, errFailed
	}
	b := &t35Buffer{ptr: p, size: size}
	runtime.SetFinalizer(b, func(b *t35Buffer) { C.cudaFree(b.ptr) })
	return b, nil
}

func (b *t35Buffer) WithPtr(f func(unsafe.Pointer)) {
	f(b.ptr)
	runtime.KeepAlive(b)
}

func t35Clear(size int) error {
	b, err := t35Alloc(size)
	if err != nil {
		return err
	}
	b.WithPtr(func(p unsafe.Pointer) { C.cudaMemset(p, 0, C.size_t(size)) })
	return nil
}
