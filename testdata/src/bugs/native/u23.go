// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The same inside another expression.
func u23InitBug(p unsafe.Pointer, a, b string) {
	if C.load_model(C.CString(a), nil) == nil { // want GM103
		return
	}
}

func u23InitFixed(p unsafe.Pointer, a, b string) {
	path := C.CString(a)
	defer C.free(unsafe.Pointer(path))
	if C.load_model(path, nil) == nil {
		return
	}
}
