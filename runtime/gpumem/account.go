// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "sync"

// account holds what is counted for the device as a whole, off the hot path.
type account struct {
	mu        sync.Mutex
	reserved  [3]Stat // small, large, all
	epoch     int64   // peak of reserved bytes since the last fold
	segments  [3]Stat
	overAlloc Stat
	overSeg   Stat
	resources [len(kindNames)]Stat
	offloaded Stat

	misses, retries, ooms, syncs, rejections int64
	allocs, frees                            int64 // driver calls
	gcRuns, trims, lost, waits               int64
}

func (s *Stat) add(n int64) {
	s.Current += n
	if n > 0 {
		s.Allocated += n
		s.Peak = max(s.Peak, s.Current)
	} else {
		s.Freed -= n
	}
}

// segment counts a driver call that got (n > 0) or gave back memory. Mapped
// ranges are not segments of their own.
func (a *account) segment(kind uint8, n int64, mapped bool, maxSplit int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := int64(1)
	if n > 0 {
		a.allocs++
	} else {
		a.frees++
		one = -1
	}
	a.reserved[kind].add(n)
	a.reserved[kindAll].add(n)
	a.epoch = max(a.epoch, a.reserved[kindAll].Current)
	if mapped {
		return
	}
	a.segments[kind].add(one)
	a.segments[kindAll].add(one)
	if n >= maxSplit || -n >= maxSplit {
		a.overSeg.add(one)
	}
}

// oversize counts a block that is too large to be split.
func (a *account) oversize(n int64) {
	a.mu.Lock()
	a.overAlloc.add(n)
	a.mu.Unlock()
}

// resource counts a stream, event, view, pool or arena.
func (a *account) resource(k Kind, n int64) {
	a.mu.Lock()
	a.resources[k].add(n)
	a.mu.Unlock()
}

// offload counts bytes that went to host memory, or came back.
func (a *account) offload(n int64) {
	a.mu.Lock()
	a.offloaded.add(n)
	a.mu.Unlock()
}

// count adds one to a counter of a.
func (a *account) count(c *int64) {
	a.mu.Lock()
	*c++
	a.mu.Unlock()
}

// foldReserved gives the peak of reserved bytes since the last call.
func (a *account) foldReserved() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	peak := a.epoch
	a.epoch = a.reserved[kindAll].Current
	return peak
}

// total is what is reserved now.
func (a *account) total() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reserved[kindAll].Current
}
