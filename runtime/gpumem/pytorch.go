// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "errors"

// This file has the decisions that are PyTorch's: which free block serves a
// request, when it is split, and what is done before the driver is asked. The
// facts are those of c10/cuda/CUDACachingAllocator.cpp as of torch 2.11.

// findPyTorch gives the block that PyTorch takes: the best fit, unless
// max_split_size forbids it.
func (h *heap) findPyTorch(kind uint8, size int64) *block {
	f, c := &h.free[kind], &h.dev.conf
	b := f.find(size)
	if b == nil {
		return nil
	}
	if b.seg.vmm {
		// The last mapped block before unmapped room counts as large as it
		// can grow, so that it is kept for requests that need that.
		for n := f.next(b); n != nil && n.reach() < b.reach(); n = f.next(n) {
			b = n
		}
	}
	if size < c.MaxSplitSize && b.size >= c.MaxSplitSize {
		return nil // an oversize block is not for a small request
	}
	if size >= c.MaxSplitSize && b.size >= size+c.MaxNonSplitRounding {
		return nil // it would not be split: too much would be lost
	}
	return b
}

// reach is the size that a block can grow to by mapping what follows it.
func (b *block) reach() int64 {
	if b.next != nil && b.next.state == stateUnmapped {
		return b.size + b.next.size
	}
	return b.size
}

// shouldSplit reports whether the rest of b beyond size is worth keeping apart.
func (d *Device) shouldSplit(b *block, size int64) bool {
	rest := b.size - size
	if b.heap.pool.noSplit || d.noCache {
		return false
	}
	if d.policy == PolicyBest {
		return rest >= minBlock
	}
	if b.kind == kindSmall || d.vmm != nil {
		return rest >= minBlock
	}
	return size < d.conf.MaxSplitSize && rest > smallMax
}

// missPyTorch makes room in PyTorch's order: threshold collection, the driver,
// oversize blocks, the whole cache. The heap is locked on success.
func (d *Device) missPyTorch(r *request) (*block, error) {
	if limit := d.limit.Load(); limit > 0 && d.conf.GCThreshold > 0 {
		released, err := d.collectAged(int64(d.conf.GCThreshold * float64(limit)))
		if err != nil {
			return nil, err
		}
		if released > 0 {
			r.note("gc", released, nil)
			d.acct.count(&d.acct.gcRuns)
		}
	}
	b, err := d.growPyTorch(r)
	if !errors.Is(err, ErrOutOfMemory) {
		return b, err
	}
	r.note("driver", 0, err)
	if d.conf.MaxSplitSize != unlimited {
		released, enough, e := d.releaseOversize(r)
		if e != nil {
			return nil, e
		}
		if enough {
			if b, err = d.growPyTorch(r); !errors.Is(err, ErrOutOfMemory) {
				return b, err
			}
			r.note("oversize", released, err)
		}
	}
	released, e := d.emptyCache()
	if e != nil {
		return nil, e
	}
	d.acct.count(&d.acct.retries)
	if b, err = d.growPyTorch(r); errors.Is(err, ErrOutOfMemory) {
		r.note("cache", released, err)
	}
	return b, err
}

// growPyTorch gets memory for r from the driver.
func (d *Device) growPyTorch(r *request) (*block, error) {
	size := d.conf.segmentSize(r.size)
	if d.vmm == nil {
		return d.segmentFor(r, size)
	}
	if d.overLimit(size) {
		return nil, errNoRoom
	}
	page := smallBuffer
	if r.kind == kindLarge {
		page = d.conf.LargeSegmentSize
	}
	return d.mapFor(r, page)
}

// collectAged releases the unsplit large segments that were free the longest,
// until what is reserved is no more than threshold. Age counts searches of the
// pool since the block became free. Small and private pools are left alone.
func (d *Device) collectAged(threshold int64) (released int64, err error) {
	target := d.acct.total() - threshold
	if target <= 0 {
		return 0, nil
	}
	heaps := d.heapsOf(d.pool0)
	age := func(b *block) int64 { return d.pool0.searches[kindLarge].Load() - b.gcBase }
	total, count := int64(0), int64(0)
	for _, h := range heaps {
		h.mu.Lock()
		for b := h.free[kindLarge].first(); b != nil; b = h.free[kindLarge].next(b) {
			if b.whole() {
				total += age(b)
				count++
			}
		}
		h.mu.Unlock()
	}
	for progress := true; released < target && progress && count > 0; {
		progress = false
		mean := float64(total) / float64(count)
		for _, h := range heaps {
			n, err := d.releaseWhere(h, kindLarge, func(b *block) bool {
				if b.seg.vmm || float64(age(b)) < mean {
					return false
				}
				progress = true
				total -= age(b)
				count--
				return true
			})
			released += n
			if err != nil {
				return released, err
			}
		}
	}
	return released, nil
}

// releaseOversize releases just enough blocks that are too large to be split:
// the one that fits, or else the largest ones. enough is false where they do
// not add up to the request.
func (d *Device) releaseOversize(r *request) (released int64, enough bool, err error) {
	h, f := r.heap, &r.heap.free[r.kind]
	want := max(r.size, d.conf.MaxSplitSize)
	h.mu.Lock()
	var out []*block
	if b := f.find(want); b != nil && b.whole() {
		out = append(out, b)
		released, enough = b.size, true
	} else {
		b := f.last()
		if first := f.find(want); first != nil { // mapped: look below it
			b = f.prev(first)
		}
		for ; b != nil && released < want && b.size >= d.conf.MaxSplitSize; b = f.prev(b) {
			if b.whole() {
				out = append(out, b)
				released += b.size
			}
		}
		enough = released >= want
	}
	for _, b := range out {
		f.remove(b)
	}
	h.mu.Unlock()
	return released, enough, d.giveBack(h, out)
}
