// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestSteadyLoopStaysOffDriver: two sizes in turn, neither of which fits what
// the other leaves, must not cost driver calls for ever.
func TestSteadyLoopStaysOffDriver(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithConf(conf))
		if err != nil {
			t.Fatal(err)
		}
		hold, err := d.Alloc(30 << 20)
		if err != nil {
			t.Fatal(err)
		}
		calls := func(rounds int) int64 {
			var before, after gpumem.Stats
			d.ReadStats(&before)
			for range rounds {
				for _, size := range []int64{2 << 20, 1 << 20} {
					b, err := d.Alloc(size)
					if err != nil {
						t.Fatal(err)
					}
					if err := b.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
			d.ReadStats(&after)
			return after.NumDeviceAlloc + after.NumDeviceFree - before.NumDeviceAlloc - before.NumDeviceFree
		}
		calls(1000)
		if n := calls(10_000); n != 0 {
			t.Errorf("conf %q: %d driver calls in 10,000 rounds after warming up, expected none", conf, n)
		}
		if err := hold.Close(); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
