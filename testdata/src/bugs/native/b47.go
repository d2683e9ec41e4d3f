// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

type b47BuilderBug struct{ c *C.XlaBuilder }

func b47NewBug() *b47BuilderBug { return &b47BuilderBug{c: C.NewXlaBuilder(nil)} }

// The field is cleared before it is destroyed.
func (b *b47BuilderBug) Destroy() {
	if b.c == nil {
		return
	}
	b.c = nil // want GM104
	C.XlaBuilderDestroy(b.c)
}

type b47BuilderFixed struct{ c *C.XlaBuilder }

func b47NewFixed() *b47BuilderFixed { return &b47BuilderFixed{c: C.NewXlaBuilder(nil)} }

func (b *b47BuilderFixed) Destroy() {
	if b.c == nil {
		return
	}
	c := b.c
	b.c = nil
	C.XlaBuilderDestroy(c)
}
