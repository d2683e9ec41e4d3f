// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"errors"
	"slices"
)

// PolicyBest keeps what is reserved close to what was ever active. As long as
// reserved bytes stay below peak active / target, memory is simply got: that
// is cheap and the peak allows it. Only a miss that would go past that line
// pays for room: by using what other streams have free, or by giving segments
// back. docs/performance.md has the curve of utilisation over driver calls
// that the constants were chosen from.
const (
	targetPlain  = 0.95 // of reserved bytes are to be active at the peak
	targetMapped = 0.99 // with mapped memory, which goes back by the page
	// targetShared is for pools with several streams: they use each other's
	// memory behind a wait, and waiting costs more than a little memory.
	targetShared = 0.85

	// shedShare is the part of the free segments that a miss gives back at
	// least. Segments that stay would mostly be split for a request that they
	// do not fit, and be pinned by it.
	shedShare = 0.75

	// partialReach is how much larger than a request a free piece of a used
	// segment may be to be preferred to a wholly free segment, which could go
	// back. partialScan bounds the search.
	partialReach = 3
	partialScan  = 32

	// pageBest is the page of mapped segments. Blocks of whole pages have
	// heaps of their own: there, free memory is always whole pages and can be
	// unmapped to the last byte.
	pageBest = 2 * mib
	// unmapLeast is the smallest free block that is worth a call to unmap.
	unmapLeast = 4 * mib
)

// findBest gives the best fit, but spares wholly free segments.
func (h *heap) findBest(kind uint8, size int64) *block {
	f := &h.free[kind]
	b := f.find(size)
	if b == nil || kind == kindSmall || !b.whole() || b.seg.vmm {
		return b
	}
	for n, i := f.next(b), 0; n != nil && i < partialScan && n.size <= partialReach*size; n, i = f.next(n), i+1 {
		if !n.whole() {
			return n
		}
	}
	return b
}

// missBest makes room in the order of what it costs. The heap of the result is
// locked on success. slow is held, here and below.
func (d *Device) missBest(r *request) (*block, error) {
	peers := d.heapsOf(r.heap.pool)
	over := d.overBudget(r, peers)
	if b, err := d.borrowBest(r, peers, over > 0); b != nil || err != nil {
		return b, err
	}
	if over > 0 && !d.thrashes(r) {
		if err := d.shed(over); err != nil {
			return nil, err
		}
	}
	b, err := d.growBest(r)
	if !errors.Is(err, ErrOutOfMemory) {
		return b, err
	}
	r.note("driver", 0, err)
	if b, e := d.borrowBest(r, peers, true); b != nil || e != nil {
		return b, e
	}
	released, e := d.emptyCache()
	if e != nil {
		return nil, e
	}
	d.acct.count(&d.acct.retries)
	if b, err = d.growBest(r); errors.Is(err, ErrOutOfMemory) {
		r.note("cache", released, err)
	}
	return b, err
}

// thrashes reports whether room has been made too often of late.
func (d *Device) thrashes(r *request) bool {
	var s Stats
	d.ReadStats(&s)
	return d.thrash.shed(s.CacheHits+s.CacheMisses, r.growth(), s.ActiveBytes.All.Peak)
}

// growBest gets memory for r from the driver.
func (d *Device) growBest(r *request) (*block, error) {
	switch size := r.growth(); {
	case d.vmm == nil:
		return d.segmentFor(r, size)
	case d.overLimit(size):
		return nil, errNoRoom
	default:
		return d.mapFor(r, pageBest)
	}
}

// growth is what PolicyBest gets from the driver for r.
func (r *request) growth() int64 {
	if r.kind == kindSmall {
		return smallBuffer
	}
	return roundUp(r.size, roundLarge)
}

// overBudget says by how much reserved bytes would exceed the line if r were
// served by the driver. What was reserved once is no loss any more.
func (d *Device) overBudget(r *request, peers []*heap) int64 {
	var s Stats
	d.ReadStats(&s)
	target := targetPlain
	if d.vmm != nil {
		target = targetMapped
	}
	if peers[0].stream != peers[len(peers)-1].stream {
		target = targetShared
	}
	if d.target > 0 {
		target = d.target
	}
	active := max(s.ActiveBytes.All.Peak, s.ActiveBytes.All.Current+r.size)
	line := max(s.ReservedBytes.All.Peak, int64(float64(active)/target))
	need := r.growth()
	if d.vmm != nil { // a free block may only have to be extended
		r.heap.mu.Lock()
		if b := r.heap.room(r.kind, r.size); b != nil && b.state == stateFree {
			need = roundUp(r.size-b.size, pageBest)
		}
		r.heap.mu.Unlock()
	}
	over := s.ReservedBytes.All.Current + need - line - d.thrash.slack
	if s.Limit > 0 && d.conf.GCThreshold > 0 {
		over = max(over, s.ReservedBytes.All.Current-int64(d.conf.GCThreshold*float64(s.Limit)))
	}
	return over
}

// borrowBest takes a free block of another heap of the pool: of the same
// stream always, of other streams only where that is worth a wait. Small
// requests are not lent: that would cost more than the page that it saves.
func (d *Device) borrowBest(r *request, peers []*heap, others bool) (*block, error) {
	if r.kind == kindSmall {
		return nil, nil
	}
	for _, h := range peers {
		if h == r.heap || h.stream != r.heap.stream && !others {
			continue
		}
		if b, err := d.borrow(r, h); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// shed gives back free memory of all heaps, at least over bytes if there are
// that many. Of segments, those go first that were not used for longest.
func (d *Device) shed(over int64) error {
	if d.vmm != nil {
		return d.shedPages()
	}
	type idle struct {
		b   *block
		age int64
	}
	var list []idle
	free := int64(0)
	for _, h := range d.allHeaps() {
		if !cacheable(h) {
			continue
		}
		h.mu.Lock()
		for k := range h.free {
			for b := h.free[k].first(); b != nil; b = h.free[k].next(b) {
				if b.whole() {
					list = append(list, idle{b, h.ops - b.seg.lastOp})
					free += b.size
				}
			}
		}
		h.mu.Unlock()
	}
	slices.SortStableFunc(list, func(a, b idle) int { return cmp.Compare(b.age, a.age) })
	over = max(over, int64(shedShare*float64(free)))
	for _, x := range list {
		if over <= 0 {
			break
		}
		h := x.b.heap
		h.mu.Lock()
		if x.b.state != stateFree || !x.b.whole() {
			h.mu.Unlock()
			continue // somebody took it meanwhile
		}
		h.free[x.b.kind].remove(x.b)
		h.mu.Unlock()
		over -= x.b.size
		if err := d.giveBack(h, []*block{x.b}); err != nil {
			return err
		}
	}
	return nil
}

// shedPages unmaps the free pages of all heaps, where there are enough in a
// row.
func (d *Device) shedPages() error {
	for _, h := range d.allHeaps() {
		if !cacheable(h) {
			continue
		}
		for _, kind := range [...]uint8{kindLarge, kindSmall} {
			if _, err := d.unmapFree(h, kind, unmapLeast); err != nil {
				return err
			}
		}
	}
	return nil
}
