// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// An owned string goes straight into the conversion.
func b147StringBug(tags unsafe.Pointer) string {
	return C.GoString(C.tag_list_to_string(tags)) // want GM103
}

func b147StringFixed(tags unsafe.Pointer) string {
	s := C.tag_list_to_string(tags)
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s)
}
