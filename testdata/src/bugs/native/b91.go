// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// Two strings per variable, freed when the function ends.
func b91ApplyBug(api unsafe.Pointer, vars map[string]string) {
	for k, v := range vars {
		key, value := C.CString(k), C.CString(v)
		defer C.free(unsafe.Pointer(key)) // want GM105
		defer C.free(unsafe.Pointer(value))
		C.set_variable(api, key, value)
	}
}

func b91ApplyFixed(api unsafe.Pointer, vars map[string]string) {
	for k, v := range vars {
		key, value := C.CString(k), C.CString(v)
		C.set_variable(api, key, value)
		C.free(unsafe.Pointer(key))
		C.free(unsafe.Pointer(value))
	}
}
