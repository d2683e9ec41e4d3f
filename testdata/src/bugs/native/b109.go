// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The input name is made in the argument list of a callee that only reads it.
func b109TranscodeBug(p unsafe.Pointer, a, b string) {
	C.set_name(C.CString(a)) // want GM103
}

func b109TranscodeFixed(p unsafe.Pointer, a, b string) {
	in := C.CString(a)
	defer C.free(unsafe.Pointer(in))
	C.set_name(in)
}
