// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

type u49Tensor struct{ c C.Tensor }

func u49Wrap(c C.Tensor) *u49Tensor {
	t := &u49Tensor{c: c}
	runtime.SetFinalizer(t, func(t *u49Tensor) { C.Tensor_Close(t.c) })
	return t
}

// The sizes lie in the tensor, and nothing keeps that while they are read.
func (t *u49Tensor) ShapeBug() []int64 {
	var n C.int
	p := C.Tensor_Sizes(t.c, &n) // want GM402|GM303
	return unsafe.Slice((*int64)(p), n)
}

func (t *u49Tensor) ShapeFixed() []int64 {
	var n C.int
	p := C.Tensor_Sizes(t.c, &n)
	shape := slices.Clone(unsafe.Slice((*int64)(p), n))
	runtime.KeepAlive(t)
	return shape
}
