// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

// A matrix image on two error returns and the ordinary one.
func b85ConvBug(in *C.VipsImage, w, h int) error {
	var m *C.VipsImage
	if C.create_matrix(C.int(w), C.int(h), &m) != 0 { // want GM102
		return errFailed
	}
	if w != h {
		return errFailed
	}
	if C.conv_image(in, m) != 0 {
		return errFailed
	}
	return nil
}

func b85ConvFixed(in *C.VipsImage, w, h int) error {
	var m *C.VipsImage
	if C.create_matrix(C.int(w), C.int(h), &m) != 0 {
		return errFailed
	}
	defer C.g_object_unref(C.gpointer(m))
	if w != h {
		return errFailed
	}
	if C.conv_image(in, m) != 0 {
		return errFailed
	}
	return nil
}
