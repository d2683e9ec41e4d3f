// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Metrics adds the device's memory to a benchmark's results: peak-B, the most
// bytes allocated at once, and gpu-B/op, gpu-allocs/op and driver-calls/op.
// Call it after the set-up, which it does not count, and the function that it
// returns after the loop:
//
//	report := gpumemtest.Metrics(b, d)
//	for b.Loop() {
//		step(d)
//	}
//	report()
//
// benchstat compares the figures like any other.
func Metrics(b *testing.B, d *gpumem.Device) (report func()) {
	var before gpumem.Stats
	d.ResetPeak()
	d.ReadStats(&before)
	return func() {
		var s gpumem.Stats
		d.ReadStats(&s)
		per := func(now, then int64) float64 { return float64(now-then) / float64(max(b.N, 1)) }
		b.ReportMetric(float64(s.AllocatedBytes.All.Peak), "peak-B")
		b.ReportMetric(per(s.AllocatedBytes.All.Allocated, before.AllocatedBytes.All.Allocated), "gpu-B/op")
		b.ReportMetric(per(s.Allocation.All.Allocated, before.Allocation.All.Allocated), "gpu-allocs/op")
		b.ReportMetric(per(s.NumDeviceAlloc+s.NumDeviceFree, before.NumDeviceAlloc+before.NumDeviceFree), "driver-calls/op")
	}
}
