// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// Option configures New, VerifyNone, VerifyTestMain, Find and Golden. Each
// says where it has an effect if that is not everywhere.
type Option func(*config)

type config struct {
	devices   []*gpumem.Device
	ignore    []func(*gpumem.Device, gpumem.Record) bool
	base      map[*gpumem.Device]reading
	tolerance int64
	onFailure bool
	maxPeak   int64

	driver   gpumem.Driver
	sim      simdrv.Config
	alloc    []gpumem.Option
	failOnce []int64
	failFrom int64
}

func newConfig(opts []Option) *config {
	c := &config{base: map[*gpumem.Device]reading{}}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Devices checks these devices instead of all that are open in the process.
// Tests that run in parallel need it, unless they use New.
func Devices(devices ...*gpumem.Device) Option {
	return func(c *config) { c.devices = append(c.devices, devices...) }
}

// IgnoreCurrent ignores what is alive when IgnoreCurrent is called, resource by
// resource: what is released later and leaked again still counts. It also is
// the baseline for what the driver says.
func IgnoreCurrent() Option {
	type id struct {
		kind gpumem.Kind
		id   uint64
	}
	type seen struct {
		records map[id]bool
		base    reading
	}
	devices := map[*gpumem.Device]seen{}
	for _, d := range gpumem.Devices() {
		s := seen{records: map[id]bool{}, base: read(d)}
		for _, r := range d.Lost() {
			s.records[id{r.Kind, r.ID}] = true
		}
		for r := range d.Live() {
			s.records[id{r.Kind, r.ID}] = true
		}
		devices[d] = s
	}
	return func(c *config) {
		for d, s := range devices {
			c.base[d] = s.base
		}
		c.ignore = append(c.ignore, func(d *gpumem.Device, r gpumem.Record) bool { return devices[d].records[id{r.Kind, r.ID}] })
	}
}

// IgnoreSite ignores resources made by the function fn itself, by its full
// name, such as example.org/model.(*Cache).load.
func IgnoreSite(fn string) Option {
	return func(c *config) {
		c.ignore = append(c.ignore, func(_ *gpumem.Device, r gpumem.Record) bool {
			frames := r.Site.Frames()
			return len(frames) > 0 && frames[0].Function == fn
		})
	}
}

// IgnoreAnyFunction ignores resources that were made while the function fn was
// running, by its full name.
func IgnoreAnyFunction(fn string) Option {
	return func(c *config) {
		c.ignore = append(c.ignore, func(_ *gpumem.Device, r gpumem.Record) bool {
			for _, f := range r.Site.Frames() {
				if f.Function == fn {
					return true
				}
			}
			return false
		})
	}
}

// IgnoreTag ignores resources with the tag, and pools with that name.
func IgnoreTag(tag string) Option {
	return func(c *config) {
		c.ignore = append(c.ignore, func(_ *gpumem.Device, r gpumem.Record) bool { return r.Tag == tag })
	}
}

// Tolerance lets up to that many bytes of buffers leak in all, and lets the
// sizes of Golden be exceeded by as much. It hides small leaks: one forgotten
// buffer of 512 bytes a request is 50 MB a day later.
func Tolerance(bytes int64) Option { return func(c *config) { c.tolerance = bytes } }

// RunOnFailure checks also after the test has failed. By default it doesn't,
// since a test that stops half-way leaks what it had no chance to release.
func RunOnFailure() Option { return func(c *config) { c.onFailure = true } }

// MaxPeak fails where more than that many bytes were allocated at any time.
func MaxPeak(bytes int64) Option { return func(c *config) { c.maxPeak = bytes } }

// With passes options on to gpumem.Open. It is for New.
func With(opts ...gpumem.Option) Option {
	return func(c *config) { c.alloc = append(c.alloc, opts...) }
}

// Simulate describes the simulated device. It is for New.
func Simulate(cfg simdrv.Config) Option { return func(c *config) { c.sim = cfg } }

// Driver uses drv, such as a GPU, instead of a simulated device. It is for New,
// which closes drv with the device.
func Driver(drv gpumem.Driver) Option { return func(c *config) { c.driver = drv } }

// FailAlloc makes the n-th request for memory from the driver fail, counted
// from 1. The allocator tries again after it has emptied its cache, so the
// program may see nothing of it; FailAllocFrom has no mercy. It is for New and
// simulated devices.
func FailAlloc(n int) Option {
	return func(c *config) { c.failOnce = append(c.failOnce, int64(n)) }
}

// FailAllocFrom makes the n-th request for memory from the driver fail and all
// later ones, so that the program has to live without. It is for New and
// simulated devices.
func FailAllocFrom(n int) Option { return func(c *config) { c.failFrom = int64(n) } }

// fails says whether the n-th driver allocation is to fail.
func (c *config) fails(n int64) bool {
	return slices.Contains(c.failOnce, n) || c.failFrom > 0 && n >= c.failFrom
}

func (c *config) ignored(d *gpumem.Device, r gpumem.Record) bool {
	for _, f := range c.ignore {
		if f(d, r) {
			return true
		}
	}
	return false
}
