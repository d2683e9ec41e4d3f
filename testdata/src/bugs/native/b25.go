// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type b25Tensor struct{ v *C.OrtValue }

func (t *b25Tensor) Destroy() { C.ReleaseOrtValue(t.v) }

// b25Wrap builds a new tensor over the data of v and leaves v alone.
func b25Wrap(v *C.OrtValue, n int) (*b25Tensor, error) {
	var out *C.OrtValue
	if C.CreateOrtTensor(C.GetTensorData(v), C.size_t(n), &out) != 0 {
		return nil, errFailed
	}
	return &b25Tensor{out}, nil
}

// The value that the run gave is used up by nobody.
func b25RunBug(s unsafe.Pointer, n int) (*b25Tensor, error) {
	var v *C.OrtValue
	if C.RunOrtSession(s, &v) != 0 { // want GM102
		return nil, errFailed
	}
	return b25Wrap(v, n)
}

func b25RunFixed(s unsafe.Pointer, n int) (*b25Tensor, error) {
	var v *C.OrtValue
	if C.RunOrtSession(s, &v) != 0 {
		return nil, errFailed
	}
	defer C.ReleaseOrtValue(v)
	return b25Wrap(v, n)
}
