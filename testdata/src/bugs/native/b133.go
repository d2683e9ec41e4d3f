// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// A window title made in the argument list.
func b133SetThreadNameBug(p unsafe.Pointer, a, b string) {
	C.load_state(p, C.CString(a), nil) // want GM103
}

func b133SetThreadNameFixed(p unsafe.Pointer, a, b string) {
	t := C.CString(a)
	C.load_state(p, t, nil)
	C.free(unsafe.Pointer(t))
}
