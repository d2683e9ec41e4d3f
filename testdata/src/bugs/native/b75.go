// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// Two C strings that stay after every call.
func b75LoadStateBug(ctx unsafe.Pointer, path string) error {
	d := C.CString(path) // want GM102
	w := C.CString("rb")
	if C.load_state(ctx, d, w) != 0 {
		return errFailed
	}
	return nil
}

func b75LoadStateFixed(ctx unsafe.Pointer, path string) error {
	d := C.CString(path)
	w := C.CString("rb")
	defer C.free(unsafe.Pointer(d))
	defer C.free(unsafe.Pointer(w))
	if C.load_state(ctx, d, w) != 0 {
		return errFailed
	}
	return nil
}
