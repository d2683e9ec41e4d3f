// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type i27Buffer struct{ c *C.gst_buffer }

func i27Wrap(c *C.gst_buffer) *i27Buffer {
	b := &i27Buffer{c: c}
	runtime.SetFinalizer(b, func(b *i27Buffer) { C.gst_buffer_unref(b.c) })
	return b
}

func (b *i27Buffer) Instance() *C.gst_buffer { return b.c }

// Ref gives a new wrapper with a reference of its own.
func (b *i27Buffer) Ref() *i27Buffer {
	ref := i27Wrap(C.gst_buffer_ref(b.c))
	runtime.KeepAlive(b)
	return ref
}

// Of the wrapper only its pointer is left while C works.
func i27PushBug(b *i27Buffer) int {
	return int(C.gst_push(b.Ref().Instance())) // want GM402
}

func i27PushFixed(b *i27Buffer) int {
	ref := b.Ref()
	n := C.gst_push(ref.Instance())
	runtime.KeepAlive(ref)
	return int(n)
}
