// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type b153Texture struct{ id *C.gl_texture }

func b153NewTexture(w, h int) *b153Texture {
	t := &b153Texture{id: C.gl_texture_create(C.int(w), C.int(h))}
	runtime.SetFinalizer(t, func(t *b153Texture) { C.gl_texture_delete(t.id) })
	return t
}

type b153BoundBug struct {
	tex  *b153Texture
	w, h int
}

// The old texture is deleted by hand, and has a finalizer.
func (b *b153BoundBug) Resize(w, h int) {
	if b.tex != nil {
		C.gl_texture_delete(b.tex.id) // want GM402
	}
	b.tex = b153NewTexture(w, h)
	b.w, b.h = w, h
}

type b153BoundFixed struct {
	tex  *b153Texture
	w, h int
}

func (b *b153BoundFixed) Resize(w, h int) {
	if b.tex != nil {
		runtime.SetFinalizer(b.tex, nil)
		C.gl_texture_delete(b.tex.id)
	}
	b.tex = b153NewTexture(w, h)
	b.w, b.h = w, h
}
