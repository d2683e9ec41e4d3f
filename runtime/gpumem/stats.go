// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// Stat is one counted quantity. Allocated and Freed only grow (until
// [Device.ResetAccumulated]); Current is their difference over the device's
// life; Peak is the largest Current since the last [Device.ResetPeak].
type Stat struct {
	Current, Peak, Allocated, Freed int64
}

// PoolStats splits a quantity by pool: requests up to 1 MiB live in the small
// pool. The peak of All is a peak of its own, not the sum of the others.
type PoolStats struct {
	All, Large, Small Stat
}

// Stats are the statistics of one device, read at one moment. Names and
// meanings are PyTorch's; Keys gives the flat map that
// torch.cuda.memory_stats returns.
type Stats struct {
	Allocation         PoolStats // buffers held by the program
	Segment            PoolStats // segments got from the driver
	Active             PoolStats // buffers held or waiting for a stream
	InactiveSplit      PoolStats // free pieces of segments that are partly used
	AllocatedBytes     PoolStats
	ReservedBytes      PoolStats
	ActiveBytes        PoolStats
	InactiveSplitBytes PoolStats
	RequestedBytes     PoolStats // what the program asked for, before rounding

	OversizeAllocations Stat
	OversizeSegments    Stat

	NumAllocRetries   int64 // misses that had to empty the cache first
	NumOOMs           int64
	NumSyncAllStreams int64
	NumDeviceAlloc    int64 // driver calls that got memory
	NumDeviceFree     int64 // driver calls that gave memory back
	NumOOMRejections  int64 // driver calls not made because of the limit
	MaxSplitSize      int64 // bytes; -1 where every block may be split

	// ReservedByPool has the bytes reserved for each private pool, by name.
	ReservedByPool map[string]int64

	// What follows has no PyTorch key.

	CacheHits, CacheMisses int64
	GCRuns                 int64 // threshold collections that freed a segment
	Trims                  int64
	FinalizerFrees         int64 // buffers that only the garbage collector freed
	StreamWaits            int64 // waits queued so that a block could change stream
	LargestFree            int64 // largest free block in bytes
	Streams, Events        Stat  // streams and events made by the program
	Views, Pools           Stat
	Offloaded              Stat  // bytes of buffers that were moved to host memory
	Limit                  int64 // bytes; 0 where only the device limits
	DeviceTotal            int64
}

// CachedBytes is what the device holds in reserve and no buffer uses.
func (s *Stats) CachedBytes() int64 { return s.ReservedBytes.All.Current - s.ActiveBytes.All.Current }

// InternalFragmentation is the share of allocated bytes that nobody asked
// for: 1 - requested/allocated, and 0 with nothing allocated.
func (s *Stats) InternalFragmentation() float64 {
	return 1 - ratio(s.RequestedBytes.All.Current, s.ActiveBytes.All.Current)
}

// ExternalFragmentation is the share of free reserved bytes that the largest
// free block does not cover, and 0 with nothing free.
func (s *Stats) ExternalFragmentation() float64 {
	free := s.CachedBytes()
	if free <= 0 {
		return 0
	}
	return 1 - float64(s.LargestFree)/float64(free)
}

// Utilization is peak active over peak reserved bytes, 1 with nothing reserved.
func (s *Stats) Utilization() float64 {
	return ratio(s.ActiveBytes.All.Peak, s.ReservedBytes.All.Peak)
}

// ratio is a/b, and 1 where there is nothing to waste.
func ratio(a, b int64) float64 {
	if b <= 0 {
		return 1
	}
	return float64(a) / float64(b)
}
