// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type b137Image struct {
	backend *C.gl_texture
	w, h    int
}

func b137New(w, h int) *b137Image {
	i := &b137Image{backend: C.gl_texture_create(C.int(w), C.int(h)), w: w, h: h}
	runtime.SetFinalizer(i, (*b137Image).dispose)
	return i
}

func (i *b137Image) dispose() {
	runtime.SetFinalizer(i, nil)
	if i.backend != nil {
		C.gl_texture_delete(i.backend)
		i.backend = nil
	}
}

// The bigger image's backend moves into the old one, and its own finalizer
// deletes it there.
func (i *b137Image) extendBug(w, h int) {
	newI := b137New(w, h)
	C.gl_texture_bind(newI.backend)
	i.dispose()
	*i = *newI // want GM403
}

func (i *b137Image) extendFixed(w, h int) {
	newI := b137New(w, h)
	C.gl_texture_bind(newI.backend)
	i.dispose()
	*i = *newI
	runtime.SetFinalizer(newI, nil)
}
