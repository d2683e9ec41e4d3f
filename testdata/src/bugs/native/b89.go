// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The input is replaced by the output and never unreferenced.
func b89ResizeBug(buf []byte, flip bool) (*C.VipsImage, error) {
	var image *C.VipsImage
	if C.load_image(unsafe.Pointer(&buf[0]), C.size_t(len(buf)), &image) != 0 {
		return nil, errFailed
	}
	if flip {
		var out *C.VipsImage
		if C.flip_image(image, &out) != 0 {
			C.g_object_unref(C.gpointer(image))
			return nil, errFailed
		}
		image = out // want GM104
	}
	return image, nil
}

func b89ResizeFixed(buf []byte, flip bool) (*C.VipsImage, error) {
	var image *C.VipsImage
	if C.load_image(unsafe.Pointer(&buf[0]), C.size_t(len(buf)), &image) != 0 {
		return nil, errFailed
	}
	if flip {
		var out *C.VipsImage
		if C.flip_image(image, &out) != 0 {
			C.g_object_unref(C.gpointer(image))
			return nil, errFailed
		}
		C.g_object_unref(C.gpointer(image))
		image = out
	}
	return image, nil
}
