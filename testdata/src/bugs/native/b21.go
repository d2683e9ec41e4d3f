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

type b21Tensor struct{ T *unsafe.Pointer }

func b21Finalize(t *unsafe.Pointer) {
	p := (*C.Tensor)(t)
	runtime.SetFinalizer(p, func(ct *C.Tensor) { C.Tensor_Close(*ct) })
}

// Every other operation sets the finalizer on what it returns.
func b21SortBug(a b21Tensor) (b21Tensor, b21Tensor) {
	var values, indices C.Tensor
	C.Tensor_Sort(C.Tensor(*a.T), &values, &indices) // want GM404
	return b21Tensor{(*unsafe.Pointer)(&values)}, b21Tensor{(*unsafe.Pointer)(&indices)}
}

func b21SortFixed(a b21Tensor) (b21Tensor, b21Tensor) {
	var values, indices C.Tensor
	C.Tensor_Sort(C.Tensor(*a.T), &values, &indices)
	b21Finalize((*unsafe.Pointer)(&values))
	b21Finalize((*unsafe.Pointer)(&indices))
	return b21Tensor{(*unsafe.Pointer)(&values)}, b21Tensor{(*unsafe.Pointer)(&indices)}
}
