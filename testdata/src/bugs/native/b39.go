// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "runtime"

type b39TensorBug struct{ c C.Tensor }

func b39NewBug(c C.Tensor) *b39TensorBug {
	t := &b39TensorBug{c: c}
	runtime.SetFinalizer(t, func(t *b39TensorBug) { C.at_free(t.c) })
	return t
}

// The finalizer frees once more what was dropped by hand.
func (t *b39TensorBug) Drop() error {
	C.at_free(t.c) // want GM402
	return nil
}

type b39TensorFixed struct{ c C.Tensor }

func b39NewFixed(c C.Tensor) *b39TensorFixed {
	t := &b39TensorFixed{c: c}
	runtime.SetFinalizer(t, func(t *b39TensorFixed) { C.at_free(t.c) })
	return t
}

func (t *b39TensorFixed) Drop() error {
	runtime.SetFinalizer(t, nil)
	C.at_free(t.c)
	return nil
}
