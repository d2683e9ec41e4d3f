// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"fmt"
)

// heapsOf gives the heaps of a pool, by stream.
func (d *Device) heapsOf(p *poolState) []*heap {
	var out []*heap
	for _, h := range d.allHeaps() {
		if h.pool == p {
			out = append(out, h)
		}
	}
	return out
}

// releaseWhere gives back the wholly free segments of one of h's pools that
// pick chooses; it sees them by size. slow is held.
func (d *Device) releaseWhere(h *heap, kind uint8, pick func(*block) bool) (released int64, err error) {
	f := &h.free[kind]
	h.mu.Lock()
	var out []*block
	for b := f.first(); b != nil; b = f.next(b) {
		if b.whole() && pick(b) {
			out = append(out, b)
			released += b.size
		}
	}
	for _, b := range out {
		f.remove(b)
	}
	h.mu.Unlock()
	return released, d.giveBack(h, out)
}

// giveBack frees the segments of blocks that were taken out of the free set.
// A segment that the driver does not take back stays with the allocator.
func (d *Device) giveBack(h *heap, out []*block) error {
	var failed error
	for _, b := range out {
		if err := d.drv.Free(b.addr); err != nil {
			failed = errors.Join(failed, fmt.Errorf("free segment of %v at %v: %w", Bytes(b.size), b.addr, err))
			h.mu.Lock()
			h.insert(b)
			h.mu.Unlock()
			continue
		}
		d.acct.segment(b.kind, -b.size, false, d.conf.MaxSplitSize)
		h.mu.Lock()
		d.recordSegment(ActionSegmentFree, h, b.addr, b.size, b.seg.site)
		h.disown(b)
		h.mu.Unlock()
	}
	return failed
}

// releaseFree gives back all free memory of the heaps that pick chooses: large
// pools first, wholly free segments and the free pages of mapped ones.
func (d *Device) releaseFree(pick func(*heap) bool) (released int64, err error) {
	for _, kind := range [...]uint8{kindLarge, kindSmall} {
		for _, h := range d.allHeaps() {
			if !pick(h) {
				continue
			}
			n, e := d.releaseWhere(h, kind, func(b *block) bool { return !b.seg.vmm })
			m, e2 := d.unmapFree(h, kind, 0)
			released += n + m
			err = errors.Join(err, e, e2)
		}
	}
	return released, err
}

// cacheable reports whether emptying the cache concerns h: the device's own
// pool, and private pools that were closed.
func cacheable(h *heap) bool { return h.pool.id == 0 || h.pool.gone.Load() }

// emptyCache waits for the streams that closed buffers still need and gives
// back all that is free. slow is held.
func (d *Device) emptyCache() (released int64, err error) {
	d.acct.count(&d.acct.syncs)
	if err := d.pend.syncAll(d); err != nil {
		return 0, err
	}
	return d.releaseFree(cacheable)
}

// Trim gives free memory back to the driver until the cache holds no more than
// keep bytes, and returns how much that was. It is slow, synchronises with the
// device, and what it gives back is usually wanted again soon: an allocation
// that needs room does the same by itself.
func (d *Device) Trim(keep int64) (released int64, err error) {
	if d.closed.Load() {
		return 0, fmt.Errorf("trim %s: %w", d.name, ErrClosed)
	}
	d.drainLost()
	d.slow.Lock()
	defer d.slow.Unlock()
	d.acct.count(&d.acct.trims)
	if keep <= 0 {
		released, err = d.emptyCache()
	} else {
		released, err = d.trimTo(keep)
	}
	if err != nil {
		return released, fmt.Errorf("trim %s: %w", d.name, err)
	}
	return released, nil
}

// trimTo releases wholly free segments, large ones first, while the cache
// would keep at least keep bytes.
func (d *Device) trimTo(keep int64) (released int64, err error) {
	var s Stats
	d.ReadStats(&s)
	excess := s.CachedBytes() - keep
	for _, kind := range [...]uint8{kindLarge, kindSmall} {
		for _, h := range d.allHeaps() {
			if !cacheable(h) {
				continue
			}
			n, e := d.releaseWhere(h, kind, func(b *block) bool {
				if b.seg.vmm || b.size > excess {
					return false
				}
				excess -= b.size
				return true
			})
			released += n
			err = errors.Join(err, e)
		}
	}
	return released, err
}

// abandon gives back the free memory of a stream whose work is done.
func (d *Device) abandon(h *heap) {
	d.slow.Lock()
	defer d.slow.Unlock()
	// What the driver does not take back stays in the cache.
	_, _ = d.releaseFree(func(o *heap) bool { return o.stream == h.stream })
}

// releaseEverything gives all memory back, also what is still held. slow is
// held, and the device is closed.
func (d *Device) releaseEverything() error {
	var err error
	if d.vmm != nil { // unmapping does not wait for the device by itself
		for _, h := range d.allHeaps() {
			err = errors.Join(err, d.syncHeap(h))
		}
	}
	var fences []*fence
	for _, h := range d.allHeaps() {
		h.mu.Lock()
		for _, s := range h.segs {
			for b := s.head; b != nil; b = b.next {
				if b.fence != nil {
					fences = append(fences, b.fence)
					b.fence = nil
				}
				if b.state == stateHeld {
					h.closing(b)
				}
				if b.state == stateHeld || b.state == statePending {
					b.id = 0 // stale handles notice
				}
			}
		}
		segs := h.segs
		h.segs = nil
		h.free = [2]freeSet{}
		h.unmapped = [2][]*block{}
		h.mu.Unlock()
		for _, f := range fences {
			err = errors.Join(err, d.events.sync(f))
		}
		fences = nil
		for _, s := range segs {
			err = errors.Join(err, d.destroySegment(s))
		}
	}
	return err
}

// destroySegment frees or unmaps a segment as a whole.
func (d *Device) destroySegment(s *segment) error {
	if !s.vmm {
		d.acct.segment(s.kind, -s.size, false, d.conf.MaxSplitSize)
		return d.drv.Free(s.addr)
	}
	var err error
	for b := s.head; b != nil; {
		if b.state == stateUnmapped {
			b = b.next
			continue
		}
		from := b.addr
		for b != nil && b.state != stateUnmapped {
			b = b.next
		}
		to := s.addr + Ptr(s.size)
		if b != nil {
			to = b.addr
		}
		d.acct.segment(s.kind, -int64(to-from), true, d.conf.MaxSplitSize)
		err = errors.Join(err, d.vmm.Unmap(from, int64(to-from)))
	}
	return errors.Join(err, d.vmm.Release(s.addr, s.size))
}
