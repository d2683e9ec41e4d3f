// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package thread

/*
#include <stddef.h>

typedef int cudaError_t;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct ctx_st *CUcontext;
static inline CUresult cuCtxCreate(CUcontext *c, unsigned f, int d) { return 0; }
static inline CUresult cuCtxDestroy(CUcontext c) { return 0; }
static inline CUresult cuCtxSetCurrent(CUcontext c) { return 0; }
static inline CUresult cuMemAlloc(CUdeviceptr *p, size_t n) { return 0; }
static inline CUresult cuMemFree(CUdeviceptr p) { return 0; }
static inline cudaError_t cudaSetDevice(int d) { return 0; }
static inline cudaError_t cudaMalloc(void **p, size_t n) { return 0; }
static inline cudaError_t cudaFree(void *p) { return 0; }
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

func work(n C.size_t) {
	var p unsafe.Pointer
	if C.cudaMalloc(&p, n) != 0 {
		return
	}
	C.cudaFree(p)
}

func otherThread(dev C.int, n C.size_t) {
	var wg sync.WaitGroup
	C.cudaSetDevice(dev)
	wg.Add(1)
	go func() { // want `goroutine calls C.cudaMalloc \(line 45\) on a thread of its own, for which C.cudaSetDevice \(line 40\) has set nothing: lock and bind the thread there \(GM505\)`
		defer wg.Done()
		var p unsafe.Pointer
		if C.cudaMalloc(&p, n) == 0 {
			C.cudaFree(p)
		}
	}()
	wg.Wait()
}

func otherThreadNamed(dev C.int, n C.size_t) {
	C.cudaSetDevice(dev)
	go work(n) // want `goroutine calls C.cudaMalloc \(line 32\) on a thread of its own`
}

func newContext(n C.size_t) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var ctx C.CUcontext
	if C.cuCtxCreate(&ctx, 0, 0) != 0 {
		return
	}
	defer C.cuCtxDestroy(ctx)
	done := make(chan bool)
	go func() { // want `goroutine calls C.cuMemAlloc \(line \d+\) on a thread of its own, for which C.cuCtxCreate`
		defer close(done)
		var p C.CUdeviceptr
		if C.cuMemAlloc(&p, n) == 0 {
			C.cuMemFree(p)
		}
	}()
	<-done
}

func moves(devs int, n C.size_t) {
	for d := range devs {
		go func() {
			C.cudaSetDevice(C.int(d)) // want `C.cudaSetDevice binds the thread, and the goroutine may be on another one at C.cudaMalloc \(line 32\): call runtime.LockOSThread first \(GM505\)`
			work(n)
		}()
	}
}

func locked(devs int, n C.size_t) {
	for d := range devs {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			C.cudaSetDevice(C.int(d))
			work(n)
		}()
	}
}

func boundThere(ctx C.CUcontext, n C.size_t) {
	C.cuCtxSetCurrent(ctx)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		C.cuCtxSetCurrent(ctx)
		var p C.CUdeviceptr
		if C.cuMemAlloc(&p, n) == 0 {
			C.cuMemFree(p)
		}
	}()
}

func defaultDevice(n C.size_t) {
	C.cudaSetDevice(0)
	go work(n)
}

func nothingOnTheDevice(dev C.int, done chan<- int) {
	C.cudaSetDevice(dev)
	go func() { done <- 1 }()
}

func before(dev C.int, n C.size_t) {
	go work(n)
	C.cudaSetDevice(dev)
}

func plain(dev C.int, n C.size_t) {
	C.cudaSetDevice(dev)
	work(n)
}
