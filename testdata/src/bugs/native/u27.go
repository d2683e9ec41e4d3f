// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// One string per language, freed when the function ends.
func u27SetBug(api unsafe.Pointer, names []string) bool {
	for _, n := range names {
		s := C.CString(n)
		defer C.free(unsafe.Pointer(s)) // want GM105
		if C.set_variable(api, s, nil) != 0 {
			return false
		}
	}
	return true
}

func u27SetFixed(api unsafe.Pointer, names []string) bool {
	for _, n := range names {
		s := C.CString(n)
		bad := C.set_variable(api, s, nil) != 0
		C.free(unsafe.Pointer(s))
		if bad {
			return false
		}
	}
	return true
}
