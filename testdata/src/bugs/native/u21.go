// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// A path made in the argument list.
func u21LoadModelBug(p unsafe.Pointer, a, b string) {
	_ = C.load_model(C.CString(a), nil) // want GM103
}

func u21LoadModelFixed(p unsafe.Pointer, a, b string) {
	path := C.CString(a)
	defer C.free(unsafe.Pointer(path))
	_ = C.load_model(path, nil)
}
