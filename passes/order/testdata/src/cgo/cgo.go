// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cgo

/*
#include <stddef.h>
#include <stdlib.h>

typedef int cudaError_t;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct ctx_st *CUcontext;
static inline CUresult cuCtxCreate(CUcontext *c, unsigned f, int d) { return 0; }
static inline CUresult cuCtxDestroy(CUcontext c) { return 0; }
static inline CUresult cuMemAlloc(CUdeviceptr *p, size_t n) { return 0; }
static inline CUresult cuMemFree(CUdeviceptr p) { return 0; }
static inline cudaError_t cudaMalloc(void **p, size_t n) { return 0; }
static inline cudaError_t cudaFree(void *p) { return 0; }
static inline cudaError_t cudaDeviceReset(void) { return 0; }
*/
import "C"

import (
	"errors"
	"unsafe"
)

var errCUDA = errors.New("CUDA")

func contextFirst(n C.size_t) error {
	var ctx C.CUcontext
	if C.cuCtxCreate(&ctx, 0, 0) != 0 {
		return errCUDA
	}
	var p C.CUdeviceptr
	if C.cuMemAlloc(&p, n) != 0 {
		C.cuCtxDestroy(ctx)
		return errCUDA
	}
	C.cuCtxDestroy(ctx) // want `CUDA context is destroyed before the device memory \(line 42\), which needs it`
	C.cuMemFree(p)
	return nil
}

func contextDeferredLast(n C.size_t) error {
	var ctx C.CUcontext
	if C.cuCtxCreate(&ctx, 0, 0) != 0 {
		return errCUDA
	}
	var p C.CUdeviceptr
	if C.cuMemAlloc(&p, n) != 0 {
		C.cuCtxDestroy(ctx)
		return errCUDA
	}
	defer C.cuMemFree(p)
	defer C.cuCtxDestroy(ctx) // want `deferred calls run last to first: CUDA context is destroyed before the device memory`
	return nil
}

func contextLast(n C.size_t) error {
	var ctx C.CUcontext
	if C.cuCtxCreate(&ctx, 0, 0) != 0 {
		return errCUDA
	}
	defer C.cuCtxDestroy(ctx)
	var p C.CUdeviceptr
	if C.cuMemAlloc(&p, n) != 0 {
		return errCUDA
	}
	defer C.cuMemFree(p)
	return nil
}

func resetFirst(n C.size_t) error {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 {
		return errCUDA
	}
	C.cudaDeviceReset() // want `device is reset before the device memory \(line 81\), which needs it`
	C.cudaFree(p)
	return nil
}

func resetLast(n C.size_t) error {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 {
		return errCUDA
	}
	C.cudaFree(p)
	C.cudaDeviceReset()
	return nil
}

type engine struct {
	ctx C.CUcontext
	buf C.CUdeviceptr
}

func (e *engine) Close() {
	C.cuCtxDestroy(e.ctx) // want `CUDA context is destroyed before the device memory`
	C.cuMemFree(e.buf)
}

type rightEngine struct {
	ctx C.CUcontext
	buf C.CUdeviceptr
}

func (e *rightEngine) Close() {
	C.cuMemFree(e.buf)
	C.cuCtxDestroy(e.ctx)
}
