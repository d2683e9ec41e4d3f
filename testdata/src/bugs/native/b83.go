// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

func b83Free(s *C.char) { C.free_c_string(s) }

// The deferred call's argument is still nil when the defer is reached.
func b83FieldBug(in *C.VipsImage) string {
	var value *C.char
	defer b83Free(value) // want GM106
	value = C.get_field(in)
	return C.GoString(value)
}

func b83FieldFixed(in *C.VipsImage) string {
	var value *C.char
	defer func() { b83Free(value) }()
	value = C.get_field(in)
	return C.GoString(value)
}
