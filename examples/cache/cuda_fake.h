// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for cuda_runtime.h, so that this example builds and runs with
// gcc alone: the device is 64 MiB of nothing, and only the book-keeping is
// real. Names and signatures are those of the CUDA runtime.

#ifndef GPUMEMLINT_EXAMPLE_CUDA_FAKE_H
#define GPUMEMLINT_EXAMPLE_CUDA_FAKE_H

#include <stddef.h>
#include <stdlib.h>

typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };

#define FAKE_DEVICE_BYTES ((size_t)64 << 20)
static size_t fake_in_use;

static inline cudaError_t cudaMalloc(void **devPtr, size_t size) {
	if (size > FAKE_DEVICE_BYTES - fake_in_use) {
		return cudaErrorMemoryAllocation;
	}
	size_t *block = (size_t *)malloc(2 * sizeof(size_t));
	if (block == NULL) {
		return cudaErrorMemoryAllocation;
	}
	block[0] = size;
	fake_in_use += size;
	*devPtr = block;
	return cudaSuccess;
}

static inline cudaError_t cudaFree(void *devPtr) {
	if (devPtr != NULL) {
		fake_in_use -= ((size_t *)devPtr)[0];
		free(devPtr);
	}
	return cudaSuccess;
}

static inline cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *total) {
	*freeBytes = FAKE_DEVICE_BYTES - fake_in_use;
	*total = FAKE_DEVICE_BYTES;
	return cudaSuccess;
}

#endif
