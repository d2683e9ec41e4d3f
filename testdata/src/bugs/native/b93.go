// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The elements are freed, the array that held them is not.
func b93OptionsBug() []string {
	var n C.size_t
	arr := C.query_options(&n) // want GM102
	var out []string
	for _, p := range unsafe.Slice(arr, int(n)) {
		out = append(out, C.GoString(p))
		C.free(unsafe.Pointer(p))
	}
	return out
}

func b93OptionsFixed() []string {
	var n C.size_t
	arr := C.query_options(&n)
	defer C.free(unsafe.Pointer(arr))
	var out []string
	for _, p := range unsafe.Slice(arr, int(n)) {
		out = append(out, C.GoString(p))
		C.free(unsafe.Pointer(p))
	}
	return out
}
