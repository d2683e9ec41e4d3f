// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "fmt"

// Fit says whether an allocation would find room, and where. Sizes are bytes.
type Fit struct {
	OK bool
	// Trim is set where it would fit only after cached memory went back to the
	// driver, which an allocation does by itself, slowly.
	Trim bool
	// Cause is why it would not fit; it means nothing where OK is true.
	Cause OOMKind

	Wanted      int64 // what the driver would have to give; 0 where the cache has a block
	LargestFree int64 // largest block that the cache could use for it
	Releasable  int64 // cached memory that could go back to the driver
	Room        int64 // what the driver could give now, within the limit
}

// EstimateFit says whether n bytes on the default stream would fit now. It
// allocates nothing and takes no memory from anybody; it asks the driver once.
// Other goroutines and processes may change the answer before it is used, so
// it is for choosing a size, not for skipping the error check. With mapped
// memory that must be unmapped first, it may be wrong by a page.
func (d *Device) EstimateFit(n int64) (Fit, error) {
	if n < 0 || n > maxRequest {
		return Fit{}, fmt.Errorf("estimate fit of %d bytes: %w", n, ErrInvalid)
	}
	if d.closed.Load() {
		return Fit{}, fmt.Errorf("estimate fit of %v on %s: %w", Bytes(n), d.name, ErrClosed)
	}
	free, total, err := d.drv.MemInfo()
	if err != nil {
		return Fit{}, fmt.Errorf("estimate fit of %v on %s: %w", Bytes(n), d.name, err)
	}
	r := request{n: n, size: d.conf.roundSize(n), kind: kindLarge, heap: d.stream0.heap}
	if r.size <= smallMax {
		r.kind = kindSmall
	}
	if p := r.heap.paged; p != nil && r.kind == kindLarge && r.size%pageBest == 0 {
		r.heap = p
	}
	s := d.Snapshot(SnapshotOptions{})
	f := Fit{Room: free}
	reserved := s.Stats.ReservedBytes.All.Current
	if limit := s.Stats.Limit; limit > 0 {
		f.Room = min(f.Room, max(limit-reserved, 0))
	}
	for i := range s.Segments {
		f.look(&s.Segments[i], r.kind == kindSmall, d.policy == PolicyPyTorch)
	}
	if f.LargestFree >= r.size && !d.noCache {
		f.OK = true
		return f, nil
	}
	f.Wanted = d.segmentWanted(&r)
	if d.vmm != nil {
		f.Wanted = d.mapWanted(&r)
	}
	switch {
	case f.Wanted <= f.Room:
		f.OK = true
	case f.Wanted <= f.Room+f.Releasable:
		f.OK, f.Trim = true, true
	default:
		e := OOMError{DeviceFree: free, Limit: s.Stats.Limit, Reserved: reserved, TotalFree: s.Stats.CachedBytes(),
			LargestFree: s.Stats.LargestFree, Rounded: f.Wanted, Outside: max(total-free-reserved, 0)}
		f.Cause = e.cause(r.size)
	}
	return f, nil
}

// look counts what a segment could give: its free blocks to a request of the
// small or large pool, and itself, or its free pages, to the driver.
func (f *Fit) look(s *SegmentInfo, small, own bool) {
	if s.Pool != 0 {
		return // private
	}
	if s.Active == 0 && !s.Expandable {
		f.Releasable += s.Size
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.State != BlockInactive {
			continue
		}
		if s.Expandable {
			first := roundUp(int64(b.Addr), pageBest)
			f.Releasable += max((int64(b.Addr)+b.Size)/pageBest*pageBest-first, 0)
		}
		if s.Small == small && (!own || s.Stream == 0) {
			f.LargestFree = max(f.LargestFree, b.Size)
		}
	}
}

// mapWanted is how much would have to be mapped for r: what is free before and
// behind unmapped addresses is part of the block.
func (d *Device) mapWanted(r *request) int64 {
	h := r.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.room(r.kind, r.size)
	if b == nil {
		return roundUp(r.size, pageBest) // a new range
	}
	wanted, left := int64(0), r.size
	for ; b != nil && left > 0; b = b.next {
		if b.state == stateUnmapped {
			wanted += min(roundUp(left, b.seg.page), b.size)
		}
		left -= b.size
	}
	return wanted
}
