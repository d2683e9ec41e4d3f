// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type b49OpBug struct{ c *C.XlaBuilder }

func (op *b49OpBug) finalize() { C.XlaBuilderDestroy(op.c) }

// A method value takes no argument, and holds the object.
func b49NewBug(c *C.XlaBuilder) *b49OpBug {
	op := &b49OpBug{c: c}
	runtime.SetFinalizer(op, op.finalize) // want GM402
	return op
}

type b49OpFixed struct{ c *C.XlaBuilder }

func b49FinalizeFixed(op *b49OpFixed) { C.XlaBuilderDestroy(op.c) }

func b49NewFixed(c *C.XlaBuilder) *b49OpFixed {
	op := &b49OpFixed{c: c}
	runtime.SetFinalizer(op, b49FinalizeFixed)
	return op
}
