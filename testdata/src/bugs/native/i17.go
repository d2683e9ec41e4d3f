// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type i17Tensor struct{ c *C.OrtValue }

func i17New(c *C.OrtValue) *i17Tensor {
	t := &i17Tensor{c: c}
	runtime.SetFinalizer(t, func(t *i17Tensor) { C.ReleaseOrtValue(t.c) })
	return t
}

// The library keeps its objects alive where it thinks of it.
func (t *i17Tensor) dataFixed() byte {
	b := *(*byte)(C.GetTensorData(t.c))
	runtime.KeepAlive(t)
	return b
}

// After the list of handles is made nothing holds the inputs.
func i17RunBug(feeds map[string]*i17Tensor) error {
	var list []*C.OrtValue
	for _, t := range feeds {
		list = append(list, t.c)
	}
	if C.run_session(&list[0], C.int(len(list))) != 0 { // want GM402
		return errFailed
	}
	return nil
}

func i17RunFixed(feeds map[string]*i17Tensor) error {
	var list []*C.OrtValue
	for _, t := range feeds {
		list = append(list, t.c)
	}
	rc := C.run_session(&list[0], C.int(len(list)))
	runtime.KeepAlive(feeds)
	if rc != 0 {
		return errFailed
	}
	return nil
}
