// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// ReadStats fills s. All numbers are of one moment.
func (d *Device) ReadStats(s *Stats) {
	*s = Stats{}
	d.peaks.mu.Lock()
	defer d.peaks.mu.Unlock()
	heaps := d.allHeaps()
	for _, h := range heaps {
		h.mu.Lock()
		h.quiet = 0 // whoever reads wants to know from here on
	}
	var cur, freed table
	peak := d.peaks.outer
	for _, h := range heaps {
		cur.add(h.c.current())
		freed.add(h.c.gone())
		s.CacheHits += h.c.hits
		for k := range h.free {
			if b := h.free[k].last(); b != nil {
				s.LargestFree = max(s.LargestFree, b.size)
			}
		}
	}
	epoch := d.peaks.peak
	if !d.multi.Load() {
		epoch = heaps[0].c.mark
	}
	peak.raise(epoch)
	d.acct.fill(s)
	base, low := d.base, d.floor
	for _, h := range heaps {
		h.mu.Unlock()
	}
	stats := [numCols]*PoolStats{&s.Allocation, &s.AllocatedBytes, &s.Active, &s.ActiveBytes, &s.RequestedBytes,
		&s.InactiveSplit, &s.InactiveSplitBytes}
	for i, p := range stats {
		for k, st := range [3]*Stat{&p.Small, &p.Large, &p.All} {
			st.Current = cur[k][i]
			st.Peak = max(peak[k][i], cur[k][i])
			st.Freed = freed[k][i] - base[k][i]
			st.Allocated = cur[k][i] + st.Freed - low[k][i]
		}
	}
	s.MaxSplitSize = d.conf.MaxSplitSize
	if s.MaxSplitSize == unlimited {
		s.MaxSplitSize = -1
	}
	s.Limit = d.limit.Load()
	s.DeviceTotal = d.info.Total
	s.ReservedByPool = d.reservedByPool(heaps)
}

// fill copies the device's own counters.
func (a *account) fill(s *Stats) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.ReservedBytes = PoolStats{Small: a.reserved[0], Large: a.reserved[1], All: a.reserved[2]}
	s.Segment = PoolStats{Small: a.segments[0], Large: a.segments[1], All: a.segments[2]}
	s.OversizeAllocations, s.OversizeSegments = a.overAlloc, a.overSeg
	s.NumAllocRetries, s.NumOOMs, s.NumSyncAllStreams = a.retries, a.ooms, a.syncs
	s.NumDeviceAlloc, s.NumDeviceFree, s.NumOOMRejections = a.allocs, a.frees, a.rejections
	s.CacheMisses, s.GCRuns, s.Trims = a.misses, a.gcRuns, a.trims
	s.FinalizerFrees, s.StreamWaits = a.lost, a.waits
	s.Streams, s.Events = a.resources[KindStream], a.resources[KindEvent]
	s.Views, s.Pools = a.resources[KindView], a.resources[KindPool]
	s.Offloaded = a.offloaded
}

// reservedByPool sums the mapped bytes of private pools; nil without any.
func (d *Device) reservedByPool(heaps []*heap) map[string]int64 {
	var out map[string]int64
	for _, h := range heaps {
		if h.pool.id == 0 {
			continue
		}
		if out == nil {
			out = map[string]int64{}
		}
		h.mu.Lock()
		for _, s := range h.segs {
			out[h.pool.name] += s.mapped()
		}
		h.mu.Unlock()
	}
	return out
}

// mapped is the number of bytes of s that have memory; its heap is locked.
func (s *segment) mapped() int64 {
	if !s.vmm {
		return s.size
	}
	n := int64(0)
	for b := s.head; b != nil; b = b.next {
		if b.state != stateUnmapped {
			n += b.size
		}
	}
	return n
}

// ResetPeak makes the current values the peaks.
func (d *Device) ResetPeak() {
	d.peaks.mu.Lock()
	defer d.peaks.mu.Unlock()
	d.fold() // open phases keep what they have seen
	d.peaks.outer = table{}
	d.acct.mu.Lock()
	defer d.acct.mu.Unlock()
	for _, st := range d.acct.all() {
		st.Peak = st.Current
	}
}

// ResetAccumulated sets the counters that only grow to zero.
func (d *Device) ResetAccumulated() {
	d.peaks.mu.Lock()
	defer d.peaks.mu.Unlock()
	d.base, d.floor = table{}, table{}
	for _, h := range d.allHeaps() {
		h.mu.Lock()
		h.c.hits = 0
		d.base.add(h.c.gone())
		d.floor.add(h.c.current())
		h.mu.Unlock()
	}
	a := &d.acct
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, st := range a.all() {
		st.Allocated, st.Freed = 0, 0
	}
	a.misses, a.retries, a.ooms, a.syncs, a.rejections = 0, 0, 0, 0, 0
	a.allocs, a.frees, a.gcRuns, a.trims, a.lost, a.waits = 0, 0, 0, 0, 0, 0
}

// all lists a's quantities.
func (a *account) all() []*Stat {
	out := []*Stat{&a.overAlloc, &a.overSeg, &a.offloaded}
	for i := range a.reserved {
		out = append(out, &a.reserved[i], &a.segments[i])
	}
	for i := range a.resources {
		out = append(out, &a.resources[i])
	}
	return out
}

// Snapshot describes the device's memory. Without history it is cheap.
func (d *Device) Snapshot(o SnapshotOptions) *Snapshot {
	s := &Snapshot{Device: d.info, Time: d.now(), Conf: d.conf, Policy: d.policy}
	d.ReadStats(&s.Stats)
	for _, h := range d.allHeaps() {
		s.Segments = append(s.Segments, h.describe(d.info.Ordinal)...)
	}
	slices.SortFunc(s.Segments, func(a, b SegmentInfo) int { return cmp.Compare(a.Addr, b.Addr) })
	if d.hist != nil {
		d.hist.add(Entry{Action: ActionSnapshot, Size: s.Stats.ActiveBytes.All.Current, Time: d.stamp()})
		if o.History {
			s.History, s.Dropped = d.hist.entries()
		}
	}
	return s
}

// describe lists h's segments; a mapped range of an expandable segment counts
// as one.
func (h *heap) describe(device int) []SegmentInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []SegmentInfo
	for _, s := range h.segs {
		for b := s.head; b != nil; {
			if b.state == stateUnmapped {
				b = b.next
				continue
			}
			info := SegmentInfo{Device: device, Addr: b.addr, Stream: h.stream, Small: s.kind == kindSmall,
				Expandable: s.vmm, Pool: h.pool.id, Site: s.site}
			for ; b != nil && b.state != stateUnmapped; b = b.next {
				info.add(b.info())
			}
			out = append(out, info)
		}
	}
	return out
}

// add appends a block and counts it.
func (s *SegmentInfo) add(b BlockInfo) {
	s.Blocks = append(s.Blocks, b)
	s.Size += b.Size
	if b.State == BlockAllocated {
		s.Allocated += b.Size
	}
	if b.State != BlockInactive {
		s.Active += b.Size
		s.Requested += b.Requested
	}
}

// info describes a block; its heap is locked.
func (b *block) info() BlockInfo {
	i := BlockInfo{ID: b.id, Addr: b.addr, Size: b.size, Requested: b.req, Site: b.site, Tag: b.tag, Step: b.step}
	switch b.state {
	case stateHeld:
		i.State = BlockAllocated
	case statePending:
		i.State = BlockPendingFree
	default:
		return BlockInfo{Addr: b.addr, Size: b.size}
	}
	if b.born != 0 {
		i.Born = time.Unix(0, b.born)
	}
	return i
}

// Blocks lists all blocks, free ones too, in address order within each heap.
func (d *Device) Blocks() iter.Seq[BlockInfo] {
	return func(yield func(BlockInfo) bool) {
		for _, h := range d.allHeaps() {
			for _, s := range h.describe(d.info.Ordinal) {
				for _, b := range s.Blocks {
					if !yield(b) {
						return
					}
				}
			}
		}
	}
}

// Lookup finds the block that holds the address p, which may point into it.
// It is slow: meant for error reports.
func (d *Device) Lookup(p Ptr) (BlockInfo, bool) {
	for b := range d.Blocks() {
		if p >= b.Addr && p < b.Addr+Ptr(b.Size) {
			return b, true
		}
	}
	return BlockInfo{}, false
}
