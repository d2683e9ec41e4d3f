// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package mismatch

import (
	"runtime"

	"example.com/dev"
)

type storage struct{ h dev.Handle }

func newStorage(h dev.Handle) *storage {
	s := &storage{h: h}
	runtime.SetFinalizer(s, func(s *storage) { dev.Close(s.h) })
	return s
}

func wrong() *storage {
	h := dev.PoolAlloc(8)
	return newStorage(h) // want `pooled handle from dev.PoolAlloc \(line 21\) is given to the finalizer of storage, which frees handle: release it the way it was acquired \(GM402\)`
}

func right() *storage {
	return newStorage(dev.Open())
}

type pooled struct{ h dev.Handle }

func newPooled(n int) *pooled {
	p := &pooled{h: dev.PoolAlloc(n)}
	runtime.SetFinalizer(p, func(p *pooled) { dev.PoolFree(p.h) })
	return p
}

func inPlace(n int) *pooled {
	p := &pooled{h: dev.PoolAlloc(n)}                           // acquired here
	runtime.SetFinalizer(p, func(p *pooled) { dev.Close(p.h) }) // want `pooled handle from dev.PoolAlloc \(line 38\) is given to the finalizer of pooled, which frees handle`
	return p
}
