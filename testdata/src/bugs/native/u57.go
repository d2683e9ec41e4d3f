// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type u57TensorBug struct {
	data unsafe.Pointer
	n    int
}

func u57NewBug(n int) *u57TensorBug {
	return &u57TensorBug{data: C.malloc(C.size_t(n)), n: n}
}

func (t *u57TensorBug) Close() { C.free(t.data) }

// The host copy is replaced by another and never freed.
func (t *u57TensorBug) grow(n int) {
	p := C.malloc(C.size_t(n))
	C.cudaMemcpy(p, t.data, C.size_t(t.n), 0)
	t.data, t.n = p, n // want GM104
}

type u57TensorFixed struct {
	data unsafe.Pointer
	n    int
}

func u57NewFixed(n int) *u57TensorFixed {
	return &u57TensorFixed{data: C.malloc(C.size_t(n)), n: n}
}

func (t *u57TensorFixed) Close() { C.free(t.data) }

func (t *u57TensorFixed) grow(n int) {
	p := C.malloc(C.size_t(n))
	C.cudaMemcpy(p, t.data, C.size_t(t.n), 0)
	C.free(t.data)
	t.data, t.n = p, n
}
