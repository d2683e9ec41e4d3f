// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type i29Texture struct{ id *C.gl_texture }

func i29New(w, h int) *i29Texture {
	t := &i29Texture{id: C.gl_texture_create(C.int(w), C.int(h))}
	runtime.SetFinalizer(t, func(t *i29Texture) { C.gl_texture_delete(t.id) })
	return t
}

// Finalizers come too late for a video, and deleting by hand comes on top.
func i29FrameBug(w, h int) {
	t := i29New(w, h)
	C.gl_texture_bind(t.id)
	C.gl_texture_delete(t.id) // want GM402
}

func i29FrameFixed(w, h int) {
	id := C.gl_texture_create(C.int(w), C.int(h))
	C.gl_texture_bind(id)
	C.gl_texture_delete(id)
}
