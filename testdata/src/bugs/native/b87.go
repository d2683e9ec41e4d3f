// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type b87Image struct{ image *C.VipsImage }

func b87New(v *C.VipsImage) *b87Image {
	r := &b87Image{image: v}
	runtime.SetFinalizer(r, func(r *b87Image) { C.g_object_unref(C.gpointer(r.image)) })
	return r
}

// The wrapper is built by hand, without the finalizer that the constructor sets.
func b87CopyBug(in *C.VipsImage) (*b87Image, error) {
	var out *C.VipsImage
	if C.flip_image(in, &out) != 0 { // want GM404
		return nil, errFailed
	}
	return &b87Image{image: out}, nil
}

func b87CopyFixed(in *C.VipsImage) (*b87Image, error) {
	var out *C.VipsImage
	if C.flip_image(in, &out) != 0 {
		return nil, errFailed
	}
	return b87New(out), nil
}
