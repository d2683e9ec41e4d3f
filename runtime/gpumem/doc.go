// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpumem is a caching allocator for GPU memory with statistics,
// typed out-of-memory errors, snapshots and exact leak accounting.
//
// A [Device] sits on a [Driver]: package simdrv simulates one and needs no
// GPU, package cudadrv talks to CUDA without cgo. Memory comes as [Buffer]
// handles; an allocation that the cache can serve never calls the driver and
// never allocates Go memory. Freed memory is reused in stream order.
//
// Two policies decide where a buffer goes: [PolicyPyTorch] takes the
// decisions that PyTorch's CUDA allocator takes, [PolicyBest] reserves less.
package gpumem
