// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The strings are made in the argument list.
func b77SetOptionBug(p unsafe.Pointer, a, b string) {
	C.set_variable(p, C.CString(a), C.CString(b)) // want GM103
}

func b77SetOptionFixed(p unsafe.Pointer, a, b string) {
	k, v := C.CString(a), C.CString(b)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	C.set_variable(p, k, v)
}
