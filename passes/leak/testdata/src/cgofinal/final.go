// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package cgofinal leaves its tensors to finalizers that helpers set.
package cgofinal

/*
#include <stdlib.h>

typedef void *Tensor;
typedef void *Graph;

static inline const char *Tensor_New(Tensor *out, int n) { *out = malloc(n); return NULL; }
static inline const char *Tensor_Relu(Tensor in, Tensor *out) { *out = malloc(1); return NULL; }
static inline int Tensor_AllClose(Tensor a, Tensor b) { return a == b; }
static inline void Tensor_Close(Tensor t) { free(t); }

static inline const char *Graph_New(Graph *out) { *out = malloc(1); return NULL; }
static inline int Graph_AllClose(Graph a, Graph b) { return a == b; }

typedef void *Buffer;
static inline const char *Buffer_New(Buffer *out) { *out = malloc(1); return NULL; }
static inline void Buffer_Free(Buffer b) { free(b); }
static inline int Buffer_Size(Buffer b) { return 1; }
*/
import "C"

import (
	"runtime"
	"unsafe"
)

type Tensor struct{ T *unsafe.Pointer }

func must(err unsafe.Pointer) {
	if err != nil {
		panic(C.GoString((*C.char)(err)))
	}
}

func setFinalizer(t *unsafe.Pointer) {
	runtime.SetFinalizer(t, func(t *unsafe.Pointer) { C.Tensor_Close(C.Tensor(*t)) })
}

func New(n int) Tensor {
	var t C.Tensor
	must(unsafe.Pointer(C.Tensor_New(&t, C.int(n))))
	setFinalizer((*unsafe.Pointer)(&t))
	return Tensor{(*unsafe.Pointer)(&t)}
}

func (a Tensor) Relu() Tensor {
	var t C.Tensor
	must(unsafe.Pointer(C.Tensor_Relu(C.Tensor(*a.T), &t)))
	setFinalizer((*unsafe.Pointer)(&t))
	return Tensor{(*unsafe.Pointer)(&t)}
}

func same(n int) bool {
	t := New(n)
	r := t.Relu()
	New(1)
	return C.Tensor_AllClose(C.Tensor(*t.T), C.Tensor(*r.T)) != 0
}

// To compare is not to close, so nothing is known of graphs.
func graphs() bool {
	var a, b C.Graph
	must(unsafe.Pointer(C.Graph_New(&a)))
	must(unsafe.Pointer(C.Graph_New(&b)))
	return C.Graph_AllClose(a, b) != 0
}

func size() int {
	var b C.Buffer
	must(unsafe.Pointer(C.Buffer_New(&b))) // want `Buffer from C.Buffer_New is never released \(GM102\)`
	return int(C.Buffer_Size(b))
}

func sizeRight() int {
	var b C.Buffer
	must(unsafe.Pointer(C.Buffer_New(&b)))
	defer C.Buffer_Free(b)
	return int(C.Buffer_Size(b))
}
