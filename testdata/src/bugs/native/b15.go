// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// Each block is freed at the end of its func literal, and its address is used
// after the loop.
func b15FillBug(polygons [][]int32) {
	points := make([]unsafe.Pointer, len(polygons))
	for i, poly := range polygons {
		func() {
			p := C.malloc(C.size_t(4 * len(poly)))
			defer C.free(p)
			copy(unsafe.Slice((*int32)(p), len(poly)), poly)
			points[i] = p
		}()
	}
	C.fill_poly(&points[0], C.int(len(points))) // want GM301
}

func b15FillFixed(polygons [][]int32) {
	points := make([]unsafe.Pointer, len(polygons))
	for i, poly := range polygons {
		p := C.malloc(C.size_t(4 * len(poly)))
		defer C.free(p)
		copy(unsafe.Slice((*int32)(p), len(poly)), poly)
		points[i] = p
	}
	C.fill_poly(&points[0], C.int(len(points)))
}
