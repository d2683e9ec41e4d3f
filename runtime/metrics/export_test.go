// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// DevicesFunc collects the devices that list gives.
func DevicesFunc(list func() []*gpumem.Device) Option {
	return func(c *Collector) { c.devices = list }
}

// Age makes what the driver said older.
func Age(c *Collector, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.samples {
		s.at = s.at.Add(-by)
	}
}
