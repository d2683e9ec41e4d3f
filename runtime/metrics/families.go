// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Labels of every metric: UUID survives a reordering of the devices, the
// ordinal is what people know.
var deviceLabels = []string{"uuid", "device"}

// pooledFamily is a quantity that is counted for the small and the large pool.
// The sum of both is the device's, with the private pools.
type pooledFamily struct {
	name, help string
	kind       prometheus.ValueType
	value      func(*gpumem.Stats) (small, large int64)
	desc       *prometheus.Desc
}

// family is a quantity of the device as a whole.
type family struct {
	name, help string
	kind       prometheus.ValueType
	value      func(*gpumem.Stats) float64
	desc       *prometheus.Desc
}

func current(pick func(*gpumem.Stats) *gpumem.PoolStats) func(*gpumem.Stats) (int64, int64) {
	return func(s *gpumem.Stats) (int64, int64) { p := pick(s); return p.Small.Current, p.Large.Current }
}

func allocated(pick func(*gpumem.Stats) *gpumem.PoolStats) func(*gpumem.Stats) (int64, int64) {
	return func(s *gpumem.Stats) (int64, int64) { p := pick(s); return p.Small.Allocated, p.Large.Allocated }
}

func freed(pick func(*gpumem.Stats) *gpumem.PoolStats) func(*gpumem.Stats) (int64, int64) {
	return func(s *gpumem.Stats) (int64, int64) { p := pick(s); return p.Small.Freed, p.Large.Freed }
}

func allocationStat(s *gpumem.Stats) *gpumem.PoolStats { return &s.Allocation }
func allocatedBytes(s *gpumem.Stats) *gpumem.PoolStats { return &s.AllocatedBytes }
func activeBytes(s *gpumem.Stats) *gpumem.PoolStats    { return &s.ActiveBytes }
func requestedBytes(s *gpumem.Stats) *gpumem.PoolStats { return &s.RequestedBytes }
func reservedBytes(s *gpumem.Stats) *gpumem.PoolStats  { return &s.ReservedBytes }
func splitBytes(s *gpumem.Stats) *gpumem.PoolStats     { return &s.InactiveSplitBytes }
func segmentStat(s *gpumem.Stats) *gpumem.PoolStats    { return &s.Segment }

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

// pooledFamilies are the metrics with a label pool, "small" or "large". Each
// collector makes its own: descriptors are not shared.
//
// gpumem_allocated_bytes and gpumem_allocated_bytes_total are two families in
// the text format and one in OpenMetrics, which the handler therefore does not
// offer. Go's own go_memstats_alloc_bytes has the same pair.
func pooledFamilies() []pooledFamily {
	return []pooledFamily{
		{name: "gpumem_allocated_bytes", help: "Bytes that the program holds in buffers, as rounded by the allocator.", kind: gauge, value: current(allocatedBytes)},
		{name: "gpumem_active_bytes", help: "Bytes that the program holds or that streams may still use.", kind: gauge, value: current(activeBytes)},
		{name: "gpumem_requested_bytes", help: "Bytes that the program asked for, before rounding.", kind: gauge, value: current(requestedBytes)},
		{name: "gpumem_reserved_bytes", help: "Bytes got from the driver. What is not active is the cache; that is no leak.", kind: gauge, value: current(reservedBytes)},
		{name: "gpumem_inactive_split_bytes", help: "Free bytes in segments that are partly in use, which cannot go back to the driver.", kind: gauge, value: current(splitBytes)},
		{name: "gpumem_live_allocations", help: "Buffers that the program holds. Growth at equal points of the work is a leak.", kind: gauge, value: current(allocationStat)},
		{name: "gpumem_segments", help: "Segments got from the driver.", kind: gauge, value: current(segmentStat)},
		{name: "gpumem_allocations_total", help: "Buffers handed out.", kind: counter, value: allocated(allocationStat)},
		{name: "gpumem_frees_total", help: "Buffers closed.", kind: counter, value: freed(allocationStat)},
		{name: "gpumem_allocated_bytes_total", help: "Bytes of buffers handed out.", kind: counter, value: allocated(allocatedBytes)},
		{name: "gpumem_freed_bytes_total", help: "Bytes of buffers closed.", kind: counter, value: freed(allocatedBytes)},
	}
}

// families are the metrics of the device as a whole.
func families() []family {
	n := func(pick func(*gpumem.Stats) int64) func(*gpumem.Stats) float64 {
		return func(s *gpumem.Stats) float64 { return float64(pick(s)) }
	}
	return []family{
		{name: "gpumem_peak_allocated_bytes", help: "Most bytes allocated at once since the peak was last reset.", kind: gauge, value: n(func(s *gpumem.Stats) int64 { return s.AllocatedBytes.All.Peak })},
		{name: "gpumem_peak_reserved_bytes", help: "Most bytes reserved at once since the peak was last reset.", kind: gauge, value: n(func(s *gpumem.Stats) int64 { return s.ReservedBytes.All.Peak })},
		{name: "gpumem_limit_bytes", help: "Limit on reserved bytes; the memory of the device where none is set.", kind: gauge, value: n(limit)},
		{name: "gpumem_largest_free_block_bytes", help: "Largest request that the cache can serve.", kind: gauge, value: n(func(s *gpumem.Stats) int64 { return s.LargestFree })},
		{name: "gpumem_offloaded_bytes", help: "Bytes of buffers that were moved to host memory.", kind: gauge, value: n(func(s *gpumem.Stats) int64 { return s.Offloaded.Current })},
		{name: "gpumem_cache_hits_total", help: "Allocations that the cache served.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.CacheHits })},
		{name: "gpumem_cache_misses_total", help: "Allocations that the cache did not serve.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.CacheMisses })},
		{name: "gpumem_driver_allocs_total", help: "Driver calls that got memory.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.NumDeviceAlloc })},
		{name: "gpumem_driver_frees_total", help: "Driver calls that gave memory back.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.NumDeviceFree })},
		{name: "gpumem_alloc_retries_total", help: "Allocations that had to empty the cache first.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.NumAllocRetries })},
		{name: "gpumem_ooms_total", help: "Allocations that failed for want of memory.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.NumOOMs })},
		{name: "gpumem_gc_runs_total", help: "Collections of cached segments at the threshold.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.GCRuns })},
		{name: "gpumem_trims_total", help: "Times that the program emptied the cache. More than once a second is a mistake: it gets the program no memory and costs a device synchronisation.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.Trims })},
		{name: "gpumem_finalizer_frees_total", help: "Buffers that the program lost and the garbage collector found: leaks that were rescued.", kind: counter, value: n(func(s *gpumem.Stats) int64 { return s.FinalizerFrees })},
	}
}

// limit is the bound on what the program may hold.
func limit(s *gpumem.Stats) int64 {
	if s.Limit > 0 {
		return s.Limit
	}
	return s.DeviceTotal
}

// ratios are the kinds of gpumem_fragmentation_ratio.
func ratios(s *gpumem.Stats) map[string]float64 {
	return map[string]float64{
		"internal":    s.InternalFragmentation(),
		"external":    s.ExternalFragmentation(),
		"utilization": 1 - s.Utilization(),
	}
}
