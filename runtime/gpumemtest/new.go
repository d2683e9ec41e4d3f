// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// history is how many events the device of a test keeps for its snapshot.
const history = 1000

// New opens a device for the test alone, simulated unless Driver says
// otherwise, that tracks whole stacks. When the test and its cleanups have
// ended it is checked as by [VerifyNone] and closed. A simulated device also
// fails the test if memory went from one stream to another without a wait,
// which a real one would answer with corrupt data. It may be used from
// parallel tests, and the device from any goroutine.
func New(t testing.TB, opts ...Option) *gpumem.Device {
	t.Helper()
	c := newConfig(opts)
	drv, sim := c.driver, (*simdrv.Device)(nil)
	if drv == nil {
		if c.sim.Name == "" {
			c.sim.Name = "simulated GPU of " + t.Name()
		}
		sim = simdrv.New(c.sim)
		c.arm(sim)
		drv = sim
	}
	d, err := gpumem.Open(drv, append([]gpumem.Option{gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(history),
		gpumem.WithRescue(true)}, c.alloc...)...)
	if err != nil {
		t.Fatalf("gpumemtest: %v", err)
	}
	base := read(d)
	t.Cleanup(func() {
		t.Helper()
		VerifyNone(t, slices.Concat(opts, []Option{Devices(d), func(c *config) { c.base[d] = base }})...)
		if sim != nil {
			for _, r := range sim.Races() {
				t.Errorf("missing wait: %v", r)
			}
		}
		if err := d.Close(); err != nil && !errors.Is(err, gpumem.ErrLeak) && !errors.Is(err, gpumem.ErrClosed) {
			t.Errorf("gpumemtest: %v", err) // leaks are reported above, and a test may close the device itself
		}
	})
	return d
}

// arm makes the driver's allocations fail that the options name.
func (c *config) arm(sim *simdrv.Device) {
	if len(c.failOnce) == 0 && c.failFrom == 0 {
		return
	}
	var n atomic.Int64
	sim.OnCall(func(op simdrv.Op, size int64) error {
		if op != simdrv.OpAlloc && op != simdrv.OpMap {
			return nil
		}
		if i := n.Add(1); c.fails(i) {
			return fmt.Errorf("%w: request %d, as asked for by the test", gpumem.ErrOutOfMemory, i)
		}
		return nil
	})
}
