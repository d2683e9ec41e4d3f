// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package cudadrv drives NVIDIA GPUs for package gpumem through the CUDA
// driver library, which it loads when [Open] or [Devices] is called.
//
// There is no cgo and no CUDA toolkit in the build: a program that imports this
// package builds and runs anywhere, and on a machine without the driver gets an
// error that names what is missing. All calls use the device's primary context,
// the one that cuBLAS, ONNX Runtime and libtorch use too, so pointers can be
// handed to them. The context is made current on the calling thread for each
// call and the one found there is put back, so goroutines may move between
// threads and other users of the thread see nothing of it.
//
// [OpenHost] is for pinned host memory, which copies to and from a GPU want: the
// same allocator on top of it gives the same statistics and leak assertions.
//
// Don't call it from init functions or after main has returned: the driver is
// not there yet, or no longer.
package cudadrv
