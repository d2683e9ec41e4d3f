// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// Two in one call, of which neither is freed.
func u25NewBug(p unsafe.Pointer, a, b string) {
	C.load_model(C.CString(a), C.CString(b)) // want GM103
}

func u25NewFixed(p unsafe.Pointer, a, b string) {
	path, dev := C.CString(a), C.CString(b)
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(dev))
	C.load_model(path, dev)
}
