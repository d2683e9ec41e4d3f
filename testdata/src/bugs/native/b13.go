// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// A C struct with an array of its own, returned by value and never closed.
func b13DetectBug(d, src unsafe.Pointer) []float64 {
	ret := C.SIFT_Detect(d, src) // want GM102
	return b13Points(ret)
}

func b13DetectFixed(d, src unsafe.Pointer) []float64 {
	ret := C.SIFT_Detect(d, src)
	defer C.KeyPoints_Close(ret)
	return b13Points(ret)
}

func b13Points(k C.KeyPoints) []float64 {
	var out []float64
	for _, p := range unsafe.Slice(k.keypoints, int(k.length)) {
		out = append(out, float64(p.x), float64(p.y))
	}
	return out
}
