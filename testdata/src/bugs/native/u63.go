// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

type u63TensorBug struct{ c C.Tensor }

func (t *u63TensorBug) Drop() { C.at_free(t.c) }

// An operation in place gives a new handle; the old one is overwritten.
func (t *u63TensorBug) Add_(other *u63TensorBug) error {
	var out C.Tensor
	if C.atg_add_(&out, t.c, other.c) != 0 {
		return errFailed
	}
	t.c = out // want GM104
	return nil
}

type u63TensorFixed struct{ c C.Tensor }

func (t *u63TensorFixed) Drop() { C.at_free(t.c) }

func (t *u63TensorFixed) Add_(other *u63TensorFixed) error {
	var out C.Tensor
	if C.atg_add_(&out, t.c, other.c) != 0 {
		return errFailed
	}
	C.at_free(t.c)
	t.c = out
	return nil
}
