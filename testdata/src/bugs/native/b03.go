// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

type b03ContextBug struct{ tensors []C.ggml_tensor_t }

// A buffer per tensor, handed to the tensor and remembered nowhere.
func (c *b03ContextBug) newTensor(t C.ggml_tensor_t, n int) error {
	b := C.ggml_backend_alloc_buffer(C.size_t(n)) // want GM102
	if b == nil {
		return errFailed
	}
	C.ggml_backend_tensor_alloc(b, t)
	c.tensors = append(c.tensors, t)
	return nil
}

func (c *b03ContextBug) Close() { c.tensors = nil }

type b03ContextFixed struct {
	tensors []C.ggml_tensor_t
	buffers []C.ggml_backend_buffer_t
}

func (c *b03ContextFixed) newTensor(t C.ggml_tensor_t, n int) error {
	b := C.ggml_backend_alloc_buffer(C.size_t(n))
	if b == nil {
		return errFailed
	}
	c.buffers = append(c.buffers, b)
	C.ggml_backend_tensor_alloc(b, t)
	c.tensors = append(c.tensors, t)
	return nil
}

func (c *b03ContextFixed) Close() {
	for _, b := range c.buffers {
		C.ggml_backend_buffer_free(b)
	}
	c.buffers = nil
	c.tensors = nil
}
