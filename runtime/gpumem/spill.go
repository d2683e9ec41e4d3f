// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"slices"
	"unsafe"
)

// A heap is contended when spillAfter of spillWindow allocations found it
// locked. It gets spillHeaps others then.
const (
	spillHeaps  = 16
	spillAfter  = 64
	spillWindow = 1024
)

// lockFor locks the heap that serves r: r's own, unless that was found
// contended and serves small requests of PolicyBest. Then it is one of the heaps
// beside it for the same stream, the same for a goroutine each time, so that
// goroutines that share a stream do not wait for each other. A program that
// uses a stream from one goroutine never has such heaps. They cost a small
// segment each; large memory is not spread.
func (d *Device) lockFor(r *request) *heap {
	h := r.heap
	if r.kind == kindLarge || !d.spills {
		h.mu.Lock()
		return h
	}
	spill := h.spill.Load()
	if spill == nil {
		if h.mu.TryLock() {
			return h
		}
		h.mu.Lock()
		if !h.contended() {
			return h
		}
		h.mu.Unlock()
		spill = d.makeSpill(h)
	}
	// Goroutines have stacks of their own, at least 2 KiB apart.
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15
	r.heap = spill[at>>32%spillHeaps]
	r.heap.mu.Lock()
	return r.heap
}

// contended counts that h was found locked, and reports whether that happens
// often; h is locked.
func (h *heap) contended() bool {
	if h.ops-h.window > spillWindow {
		h.window, h.waits = h.ops, 0
	}
	h.waits++
	return h.waits > spillAfter
}

// makeSpill gives h its further heaps.
func (d *Device) makeSpill(h *heap) *[spillHeaps]*heap {
	d.peaks.mu.Lock() // before heapMu, as everywhere
	defer d.peaks.mu.Unlock()
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	if s := h.spill.Load(); s != nil {
		return s
	}
	var s [spillHeaps]*heap
	for i := range s {
		s[i] = d.newHeap(h.pool, h.stream)
	}
	i := slices.Index(d.order, h)
	d.order = slices.Insert(slices.Clone(d.order), i+1, s[:]...)
	d.goMulti()
	h.spill.Store(&s)
	return &s
}
