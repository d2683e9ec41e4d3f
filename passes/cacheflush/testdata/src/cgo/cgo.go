// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cgo

/*
#include <stddef.h>
typedef int cudaError_t;
typedef struct pool_st *cudaMemPool_t;
static const cudaError_t cudaSuccess = 0;
static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t n) { return 0; }
*/
import "C"

func steps(pool C.cudaMemPool_t, n int, step func()) {
	for i := 0; i < n; i++ {
		step()
		C.cudaMemPoolTrimTo(pool, 0) // want `C.cudaMemPoolTrimTo in a loop`
	}
}

func keeps(pool C.cudaMemPool_t, n int, step func()) {
	for i := 0; i < n; i++ {
		step()
		C.cudaMemPoolTrimTo(pool, 1<<28)
	}
	C.cudaMemPoolTrimTo(pool, 0)
}

func retry(pool C.cudaMemPool_t, step func() C.cudaError_t) C.cudaError_t {
	for {
		st := step()
		if st == C.cudaSuccess {
			return st
		}
		C.cudaMemPoolTrimTo(pool, 0)
	}
}

func trim(pool C.cudaMemPool_t) { C.cudaMemPoolTrimTo(pool, 0) }

func wrapped(pool C.cudaMemPool_t, n int, step func()) {
	for range n {
		step()
		trim(pool) // want `trim, which calls C.cudaMemPoolTrimTo, in a loop`
	}
}
