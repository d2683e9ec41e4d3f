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

// The message in the result is copied and its C memory forgotten.
func u65UploadBug(g, m unsafe.Pointer) error {
	r := C.GpuMat_Upload(g, m) // want GM102
	if r.Code == 0 {
		return nil
	}
	return errors.New(C.GoString(r.Message))
}

func u65UploadFixed(g, m unsafe.Pointer) error {
	r := C.GpuMat_Upload(g, m)
	defer C.free(unsafe.Pointer(r.Message))
	if r.Code == 0 {
		return nil
	}
	return errors.New(C.GoString(r.Message))
}
