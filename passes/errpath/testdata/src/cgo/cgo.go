// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cgo

/*
#include <stddef.h>
#include <stdlib.h>

static inline int cudaMalloc(void **p, size_t n) { *p = malloc(n); return *p == NULL; }
static inline int cudaFree(void *p) { free(p); return 0; }
static inline int cudaMemset(void *p, int v, size_t n) { return 0; }
*/
import "C"

import (
	"errors"
	"unsafe"
)

func second(n C.size_t) error {
	var a, b unsafe.Pointer
	if C.cudaMalloc(&a, n) != 0 {
		return errors.New("no memory for a")
	}
	if C.cudaMalloc(&b, n) != 0 {
		return errors.New("no memory for b") // want `device memory from C.cudaMalloc \(line 23\) is not freed when this returns: C.cudaMalloc failed \(GM101\)`
	}
	C.cudaFree(b)
	C.cudaFree(a)
	return nil
}

func secondRight(n C.size_t) error {
	var a, b unsafe.Pointer
	if C.cudaMalloc(&a, n) != 0 {
		return errors.New("no memory for a")
	}
	defer C.cudaFree(a)
	if C.cudaMalloc(&b, n) != 0 {
		return errors.New("no memory for b")
	}
	C.cudaFree(b)
	return nil
}
