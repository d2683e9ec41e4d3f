// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import "unsafe"

// The arrays are handed over together after the loop: freeing one in its own
// iteration would be the bug.
func t03Fill(ctx unsafe.Pointer, rings [][]int) {
	points := make([]unsafe.Pointer, len(rings))
	for i, ring := range rings {
		p := C.malloc(C.size_t(8 * len(ring)))
		defer C.free(p)
		points[i] = p
	}
	C.fill_poly((*unsafe.Pointer)(&points[0]), C.int(len(points)))
}
