// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cgo

/*
#include <stddef.h>

typedef int cudaError_t;
typedef struct stream_st *cudaStream_t;
static inline cudaError_t cudaMalloc(void **p, size_t n) { return 0; }
static inline cudaError_t cudaFree(void *p) { return 0; }
static inline cudaError_t cudaMemset(void *p, int v, size_t n) { return 0; }
static inline cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) { return 0; }
static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { return 0; }
static inline cudaError_t cudaStreamCreate(cudaStream_t *s) { return 0; }
static inline cudaError_t cudaStreamDestroy(cudaStream_t s) { return 0; }
*/
import "C"

import "unsafe"

func each(values []byte, n C.size_t) {
	for _, v := range values {
		var p unsafe.Pointer
		if C.cudaMalloc(&p, n) != 0 { // want `device memory from C.cudaMalloc is allocated and freed in every iteration: hoist it out of the loop`
			return
		}
		C.cudaMemset(p, C.int(v), n)
		C.cudaFree(p)
	}
}

func streams(n int, run func(C.cudaStream_t)) {
	for range n {
		var s C.cudaStream_t
		if C.cudaStreamCreate(&s) != 0 { // want `stream from C.cudaStreamCreate is allocated and destroyed in every iteration`
			return
		}
		run(s)
		C.cudaStreamDestroy(s)
	}
}

// The driver's pool serves these.
func ordered(values []byte, n C.size_t, s C.cudaStream_t) {
	for range values {
		var p unsafe.Pointer
		if C.cudaMallocAsync(&p, n, s) != 0 {
			return
		}
		C.cudaFreeAsync(p, s)
	}
}

func hoisted(values []byte, n C.size_t) {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 {
		return
	}
	defer C.cudaFree(p)
	for _, v := range values {
		C.cudaMemset(p, C.int(v), n)
	}
}
