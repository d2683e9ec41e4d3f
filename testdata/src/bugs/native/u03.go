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

// The result is read through a pointer into a value that is gone.
func u03InferBug(s unsafe.Pointer) (float32, error) {
	var out *C.OrtValue
	if C.RunOrtSession(s, &out) != 0 {
		return 0, errors.New("run")
	}
	prob := C.GetTensorData(out)
	C.ReleaseOrtValue(out)
	return *(*float32)(prob), nil // want GM303
}

func u03InferFixed(s unsafe.Pointer) (float32, error) {
	var out *C.OrtValue
	if C.RunOrtSession(s, &out) != 0 {
		return 0, errors.New("run")
	}
	v := *(*float32)(C.GetTensorData(out))
	C.ReleaseOrtValue(out)
	return v, nil
}
