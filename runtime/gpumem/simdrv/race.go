// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Race is memory that was given to a stream while work of another stream may
// still use it: nothing orders the two.
type Race struct {
	Addr   gpumem.Ptr
	Size   int64
	Before gpumem.StreamHandle // whose work may still use the memory
	After  gpumem.StreamHandle // that was given it
	Prior  uint64              // allocation that the work before belongs to
	Block  uint64              // allocation that the memory was given to
}

// String describes the race in one line.
func (r Race) String() string {
	return fmt.Sprintf("%v at %v: allocation %d on stream %d reuses allocation %d without a wait for stream %d",
		gpumem.Bytes(r.Size), r.Addr, r.Block, r.After, r.Prior, r.Before)
}

// use is the last known use of a range of memory: for each stream, how much
// of its work had been given when the range was last used there.
type use struct {
	at   gpumem.Ptr
	size int64
	id   uint64
	by   map[gpumem.StreamHandle]int64
}

func (u *use) end() gpumem.Ptr { return u.at + gpumem.Ptr(u.size) }

// overlap gives the indexes of the uses that [p, p+n) touches.
func (d *Device) overlap(p gpumem.Ptr, n int64) (from, to int) {
	from, _ = slices.BinarySearchFunc(d.uses, p, func(u use, p gpumem.Ptr) int {
		if u.end() <= p {
			return -1
		}
		return 1
	})
	to = from
	for to < len(d.uses) && d.uses[to].at < p+gpumem.Ptr(n) {
		to++
	}
	return from, to
}

// forget drops the uses of a range, which is gone or has a new owner. What
// sticks out on either side stays.
func (d *Device) forget(p gpumem.Ptr, n int64) {
	from, to := d.overlap(p, n)
	if from == to {
		return
	}
	end := p + gpumem.Ptr(n)
	var keep []use
	if u := d.uses[from]; u.at < p {
		keep = append(keep, use{u.at, int64(p - u.at), u.id, u.by})
	}
	if u := d.uses[to-1]; u.end() > end {
		keep = append(keep, use{end, int64(u.end() - end), u.id, maps.Clone(u.by)})
	}
	d.uses = slices.Replace(d.uses, from, to, keep...)
}

// WatchBlocks says whether the check is on.
func (d *Device) WatchBlocks() bool { return !d.cfg.NoRaceCheck }

// BlockAlloc checks that every use of the memory by earlier owners is ordered
// before what s does next.
func (d *Device) BlockAlloc(id uint64, p gpumem.Ptr, n int64, sh gpumem.StreamHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[sh]
	if s == nil {
		return // a stream of somebody else
	}
	d.work(sh, s)
	from, to := d.overlap(p, n)
	for _, u := range d.uses[from:to] {
		for _, by := range slices.Sorted(maps.Keys(u.by)) {
			if by != sh && s.clock[by] < u.by[by] {
				d.races = append(d.races, Race{Addr: max(u.at, p), Size: int64(min(u.end(), p+gpumem.Ptr(n)) - max(u.at, p)),
					Before: by, After: sh, Prior: u.id, Block: id})
			}
		}
	}
	d.forget(p, n)
	i, _ := d.overlap(p, n)
	d.uses = slices.Insert(d.uses, i, use{p, n, id, map[gpumem.StreamHandle]int64{sh: s.clock[sh]}})
}

// BlockFree notes that the streams' work up to now may use the block.
func (d *Device) BlockFree(id uint64, p gpumem.Ptr, n int64, sh gpumem.StreamHandle, uses []gpumem.StreamHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	from, to := d.overlap(p, n)
	for i := from; i < to; i++ {
		if d.uses[i].id != id {
			continue
		}
		for _, h := range append([]gpumem.StreamHandle{sh}, uses...) {
			if s := d.streams[h]; s != nil {
				d.uses[i].by[h] = s.clock[h]
			}
		}
	}
}

// touch notes work of a stream that uses memory; mu is held.
func (d *Device) touch(h gpumem.StreamHandle, s *stream, p gpumem.Ptr, n int64) {
	from, to := d.overlap(p, n)
	for i := from; i < to; i++ {
		d.uses[i].by[h] = s.clock[h]
	}
}

// checkIdle reports memory that is unmapped while work may use it: unlike
// Free, unmapping does not wait.
func (d *Device) checkIdle(p gpumem.Ptr, n int64) {
	from, to := d.overlap(p, n)
	for _, u := range d.uses[from:to] {
		for _, by := range slices.Sorted(maps.Keys(u.by)) {
			if d.host[by] < u.by[by] {
				d.races = append(d.races, Race{Addr: u.at, Size: u.size, Before: by, Prior: u.id})
			}
		}
	}
}

// Races lists the uses of memory that nothing orders, in the order in which
// they were found. A correct allocator has none.
func (d *Device) Races() []Race {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.races)
}
