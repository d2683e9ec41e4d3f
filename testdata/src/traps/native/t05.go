// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import "unsafe"

// The sources are compiled in one call after the loop.
func t05Program(sources []string) error {
	cs := make([]*C.char, len(sources))
	for i, s := range sources {
		c := C.CString(s)
		cs[i] = c
		defer C.free(unsafe.Pointer(c))
	}
	if C.build_program(&cs[0], C.int(len(cs))) != 0 {
		return errFailed
	}
	return nil
}
