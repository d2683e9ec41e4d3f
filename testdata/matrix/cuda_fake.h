// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// The few CUDA names that the C idioms of the matrix call. Nothing runs.
#pragma once
#include <stddef.h>

typedef enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2 } CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;

static inline cudaError_t cudaMalloc(void **devPtr, size_t size) { return cudaSuccess; }
static inline cudaError_t cudaFree(void *devPtr) { return cudaSuccess; }
static inline cudaError_t cudaDeviceReset(void) { return cudaSuccess; }
static inline cudaError_t cudaMemset(void *devPtr, int value, size_t count) { return cudaSuccess; }

static inline CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize) { return CUDA_SUCCESS; }
static inline CUresult cuMemFree(CUdeviceptr dptr) { return CUDA_SUCCESS; }
static inline CUresult cuMemsetD8(CUdeviceptr dptr, unsigned char uc, size_t n) { return CUDA_SUCCESS; }
static inline CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, int dev) { return CUDA_SUCCESS; }
static inline CUresult cuCtxDestroy(CUcontext ctx) { return CUDA_SUCCESS; }

// A library of one's own.
typedef struct mem mem;
static inline mem *mem_create(size_t n) { return 0; }
static inline int mem_destroy(mem *m) { return 0; }
static inline int mem_fill(mem *m, int v) { return 0; }
