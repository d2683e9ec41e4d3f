// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// An expandable segment is an address range as large as the device and more,
// with memory mapped into it page by page. Unmapped parts are blocks too, in
// the state stateUnmapped; they are kept by address and are never merged with
// mapped ones.

// byAddr orders blocks for the unmapped lists.
func byAddr(b *block, p Ptr) int { return cmp.Compare(b.addr, p) }

func (h *heap) addUnmapped(b *block) {
	b.state = stateUnmapped
	list := h.unmapped[b.kind]
	i, _ := slices.BinarySearchFunc(list, b.addr, byAddr)
	h.unmapped[b.kind] = slices.Insert(list, i, b)
}

func (h *heap) dropUnmapped(b *block) {
	list := h.unmapped[b.kind]
	i, _ := slices.BinarySearchFunc(list, b.addr, byAddr)
	h.unmapped[b.kind] = slices.Delete(list, i, i+1)
}

// mapFor gives r a block at the lowest address where free and unmapped memory
// together have room, and maps what is missing in pages of page bytes. The
// heap is locked on success. Pages that were mapped before a failure stay.
//
// The heap is unlocked while the driver maps, and others may take free blocks
// then; so the room is looked for again after each call.
func (d *Device) mapFor(r *request, page int64) (*block, error) {
	h := r.heap
	for {
		h.mu.Lock()
		b, have := h.room(r.kind, r.size), int64(0)
		if b != nil && b.state == stateFree {
			if b.size >= r.size { // somebody freed it meanwhile
				h.free[r.kind].remove(b)
				h.own(b, r)
				return b, nil
			}
			have, b = b.size, b.next
		}
		h.mu.Unlock()
		if b == nil {
			var err error
			if b, err = d.reserve(h, r.kind, page, r.site); err != nil {
				return nil, err
			}
		}
		b, err := d.mapBlock(b, min(b.size, r.size-have), r.site)
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		if b.state == stateFree && b.kind == r.kind && b.size >= r.size {
			h.free[r.kind].remove(b)
			h.own(b, r)
			return b, nil
		}
		h.mu.Unlock()
	}
}

// room gives the first block of the lowest run of free and unmapped blocks
// that has size bytes and is unmapped somewhere.
func (h *heap) room(kind uint8, size int64) *block {
	for _, b := range h.unmapped[kind] {
		if b.prev != nil && b.prev.state == stateFree {
			b = b.prev
		}
		total := int64(0)
		for n := b; n != nil && total < size && (n.state == stateFree || n.state == stateUnmapped); n = n.next {
			total += n.size
		}
		if total >= size {
			return b
		}
	}
	return nil
}

// reserve makes a new expandable segment. It is an eighth larger than the
// device, so that pages can move within it.
func (d *Device) reserve(h *heap, kind uint8, page int64, site SiteID) (*block, error) {
	size := roundUp(d.info.Total+d.info.Total/8, page)
	p, err := d.vmm.Reserve(size)
	if err != nil {
		return nil, fmt.Errorf("reserve %v of addresses: %w", Bytes(size), err)
	}
	h.mu.Lock()
	b := h.adopt(p, size, kind, site)
	b.seg.vmm, b.seg.page = true, page
	h.addUnmapped(b)
	h.mu.Unlock()
	return b, nil
}

// mapBlock maps at least size bytes from the start of the unmapped block b on
// and gives the free block that they are part of. slow is held, so b does not
// change meanwhile: only the holder of slow touches unmapped blocks.
func (d *Device) mapBlock(b *block, size int64, site SiteID) (*block, error) {
	h, s := b.heap, b.seg
	size = min(roundUp(size, s.page), b.size)
	if err := d.vmm.Map(b.addr, size, s.page); err != nil {
		return nil, err
	}
	d.acct.segment(b.kind, size, true, d.conf.MaxSplitSize)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropUnmapped(b)
	d.recordSegment(ActionSegmentMap, h, b.addr, size, site)
	if size < b.size {
		h.addUnmapped(b.splitOff(size))
	}
	b.state = stateFree
	return h.settle(b), nil
}

// settle merges the free block b, which is in no set but counted, with its free
// neighbours and inserts the result.
func (h *heap) settle(b *block) *block {
	merged := int64(0)
	if n := b.next; n != nil && n.state == stateFree {
		h.free[b.kind].remove(n)
		b.absorb()
		merged++
	}
	if p := b.prev; p != nil && p.state == stateFree {
		h.free[b.kind].remove(p)
		p.absorb()
		b = p
		merged++
	}
	h.insert(b)
	if merged > 0 && !b.seg.vmm {
		h.c.split(b.kind, -merged, 0)
		if b.whole() {
			h.c.split(b.kind, -1, -b.size)
		}
	}
	return b
}

// unmapFree unmaps the whole pages of h's free mapped blocks of at least the
// size least.
func (d *Device) unmapFree(h *heap, kind uint8, least int64) (released int64, err error) {
	if d.vmm == nil {
		return 0, nil
	}
	var blocks []*block
	h.mu.Lock()
	for b := h.free[kind].first(); b != nil; b = h.free[kind].next(b) {
		if b.seg.vmm && b.size >= least {
			blocks = append(blocks, b)
		}
	}
	h.mu.Unlock()
	for _, b := range blocks {
		h.mu.Lock()
		if b.state != stateFree || b.kind != kind {
			h.mu.Unlock()
			continue // somebody took it meanwhile
		}
		h.free[kind].remove(b)
		b.state = stateBusy // so that nobody merges with it
		h.mu.Unlock()
		n, e := d.unmapBlock(b)
		released += n
		err = errors.Join(err, e)
	}
	return released, err
}

// unmapBlock unmaps the whole pages of a busy block, and frees what stays
// mapped.
func (d *Device) unmapBlock(b *block) (released int64, err error) {
	h, s := b.heap, b.seg
	from := s.addr + Ptr(roundUp(int64(b.addr-s.addr), s.page))
	to := s.addr + Ptr(int64(b.end()-s.addr)/s.page*s.page)
	if from >= to {
		h.mu.Lock()
		b.state = stateFree
		h.settle(b)
		h.mu.Unlock()
		return 0, nil
	}
	// Unmapping does not wait for the device by itself.
	if err = d.events.sync(b.fence); err == nil {
		b.fence = nil
		err = d.syncHeap(h)
	}
	if err == nil {
		err = d.vmm.Unmap(from, int64(to-from))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		b.state = stateFree
		h.settle(b)
		return 0, fmt.Errorf("unmap %v at %v: %w", Bytes(to-from), from, err)
	}
	d.acct.segment(b.kind, -int64(to-from), true, d.conf.MaxSplitSize)
	d.recordSegment(ActionSegmentUnmap, h, from, int64(to-from), s.site)
	if to < b.end() {
		rest := b.splitOff(int64(to - b.addr))
		rest.state = stateFree
		h.settle(rest)
	}
	if from > b.addr {
		rest := b.splitOff(int64(from - b.addr))
		b.state = stateFree
		h.settle(b)
		b = rest
	}
	b.state = stateUnmapped
	if n := b.next; n != nil && n.state == stateUnmapped {
		h.dropUnmapped(n)
		b.absorb()
	}
	if p := b.prev; p != nil && p.state == stateUnmapped {
		h.dropUnmapped(p)
		p.absorb()
		b = p
	}
	h.addUnmapped(b)
	if b.whole() {
		return int64(to - from), d.unreserve(b)
	}
	return int64(to - from), nil
}

// syncHeap waits for the work of h's stream.
func (d *Device) syncHeap(h *heap) error {
	if d.ended(h.stream) {
		return nil
	}
	return d.drv.SyncStream(h.stream)
}

// unreserve gives up the addresses of a segment that has nothing mapped; its
// heap is locked.
func (d *Device) unreserve(b *block) error {
	s := b.seg
	if err := d.vmm.Release(s.addr, s.size); err != nil {
		return fmt.Errorf("release %v of addresses: %w", Bytes(s.size), err)
	}
	b.heap.dropUnmapped(b)
	b.heap.disown(b)
	return nil
}
