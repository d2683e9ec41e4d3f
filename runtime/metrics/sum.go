// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/gpumemlint/gpumemlint/runtime/gpumem"

// sum reads the devices of one GPU and adds them up. Peaks of several devices
// need not have been at one time, so their sum is an upper bound.
func sum(devices []*gpumem.Device) gpumem.Stats {
	var out gpumem.Stats
	for i, d := range devices {
		var s gpumem.Stats
		d.ReadStats(&s)
		if i == 0 {
			out = s
			continue
		}
		// A device without a limit may take what the GPU has.
		if out.Limit == 0 || s.Limit == 0 {
			out.Limit = 0
		} else {
			out.Limit = min(out.Limit+s.Limit, s.DeviceTotal)
		}
		for _, p := range [][2]*gpumem.PoolStats{{&out.Allocation, &s.Allocation}, {&out.Segment, &s.Segment}, {&out.Active, &s.Active},
			{&out.InactiveSplit, &s.InactiveSplit}, {&out.AllocatedBytes, &s.AllocatedBytes}, {&out.ReservedBytes, &s.ReservedBytes},
			{&out.ActiveBytes, &s.ActiveBytes}, {&out.InactiveSplitBytes, &s.InactiveSplitBytes}, {&out.RequestedBytes, &s.RequestedBytes}} {
			for _, st := range [][2]*gpumem.Stat{{&p[0].All, &p[1].All}, {&p[0].Small, &p[1].Small}, {&p[0].Large, &p[1].Large}} {
				add(st[0], st[1])
			}
		}
		add(&out.Offloaded, &s.Offloaded)
		for _, n := range [][2]*int64{{&out.NumAllocRetries, &s.NumAllocRetries}, {&out.NumOOMs, &s.NumOOMs},
			{&out.NumDeviceAlloc, &s.NumDeviceAlloc}, {&out.NumDeviceFree, &s.NumDeviceFree}, {&out.CacheHits, &s.CacheHits},
			{&out.CacheMisses, &s.CacheMisses}, {&out.GCRuns, &s.GCRuns}, {&out.Trims, &s.Trims}, {&out.FinalizerFrees, &s.FinalizerFrees}} {
			*n[0] += *n[1]
		}
		out.LargestFree = max(out.LargestFree, s.LargestFree)
		for name, bytes := range s.ReservedByPool {
			if out.ReservedByPool == nil {
				out.ReservedByPool = map[string]int64{}
			}
			out.ReservedByPool[name] += bytes
		}
	}
	return out
}

func add(to, from *gpumem.Stat) {
	to.Current += from.Current
	to.Peak += from.Peak
	to.Allocated += from.Allocated
	to.Freed += from.Freed
}
