// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// The few CUDA names that the C idioms of the matrix call. Nothing runs.
#pragma once
#include <stddef.h>

typedef enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2 } CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUstream_st *CUstream;
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUmemPoolHandle_st *CUmemoryPool;

static inline cudaError_t cudaMalloc(void **devPtr, size_t size) { return cudaSuccess; }
static inline cudaError_t cudaFree(void *devPtr) { return cudaSuccess; }
static inline cudaError_t cudaMallocHost(void **ptr, size_t size) { return cudaSuccess; }
static inline cudaError_t cudaFreeHost(void *ptr) { return cudaSuccess; }
static inline cudaError_t cudaDeviceReset(void) { return cudaSuccess; }
static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) { return cudaSuccess; }
static inline CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) { return CUDA_SUCCESS; }
static inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) { return cudaSuccess; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cudaSuccess; }
static inline cudaError_t cudaSetDevice(int device) { return cudaSuccess; }
static inline CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t n, CUstream stream) { return CUDA_SUCCESS; }
static inline CUresult cuStreamSynchronize(CUstream stream) { return CUDA_SUCCESS; }
static inline CUresult cuCtxSetCurrent(CUcontext ctx) { return CUDA_SUCCESS; }
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
static inline int mem_clear(mem *m, int v) { return 0; }
