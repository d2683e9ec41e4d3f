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

func scratch(n C.size_t) error {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 { // want `device memory from C.cudaMalloc is never freed \(GM102\)`
		return errors.New("no memory")
	}
	C.cudaMemset(p, 0, n)
	return nil
}

func scratchRight(n C.size_t) error {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 {
		return errors.New("no memory")
	}
	defer C.cudaFree(p)
	C.cudaMemset(p, 0, n)
	return nil
}
