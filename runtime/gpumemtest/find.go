// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

const (
	tries       = 20
	longestWait = 100 * time.Millisecond // between two tries; all together 0.33 s
	cleanupWait = 100 * time.Millisecond // for the collector's cleanups

	// firstCollection is the try before which garbage is collected: after the
	// millisecond in which goroutines mostly finish.
	firstCollection = 10
)

// Find looks for leaks and gives a *LeakError, or nil. If it finds any it tries
// again for up to half a second, so that goroutines get to their Close, and
// collects garbage, so that cleanups get to release what they watch.
//
// What a device without tracking leaks is found, but not its site.
func Find(opts ...Option) error {
	c := newConfig(opts)
	if err := c.find(); err != nil {
		return err
	}
	return nil
}

// find is Find with the error's own type.
func (c *config) find() *LeakError {
	found := c.look()
	if found == nil {
		return nil
	}
	for i := range tries {
		if i == firstCollection || i == firstCollection+1 || i == tries-2 {
			collect() // twice, since a cleanup may free what keeps another object, and for what goroutines drop meanwhile
		} else {
			time.Sleep(min(time.Microsecond<<i, longestWait))
		}
		found = c.look()
		if found == nil || !found.mayPass() {
			break
		}
	}
	if found != nil {
		found.askDriver(c)
	}
	return found
}

// collections lets tests that wait at the same time share one collection.
var collections struct {
	sync.Mutex
	begun atomic.Int64
}

// collect collects garbage and waits until the cleanups have run.
func collect() {
	before := collections.begun.Load()
	collections.Lock()
	defer collections.Unlock()
	if collections.begun.Load() > before {
		return // one has begun, and ended, since we asked
	}
	collections.begun.Add(1)
	runtime.GC()
	waitForCleanups()
}

// The collector's own count of its cleanups.
const (
	queued   = "/gc/cleanups/queued:cleanups"
	executed = "/gc/cleanups/executed:cleanups"
)

func waitForCleanups() {
	s := []metrics.Sample{{Name: queued}, {Name: executed}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 || s[1].Value.Kind() != metrics.KindUint64 {
		return // an older Go; the tries that follow take long enough
	}
	want := s[0].Value.Uint64()
	for deadline := time.Now().Add(cleanupWait); s[1].Value.Uint64() < want && time.Now().Before(deadline); {
		time.Sleep(50 * time.Microsecond)
		metrics.Read(s[1:])
	}
}

// targets are the devices to check.
func (c *config) targets() []*gpumem.Device {
	if len(c.devices) > 0 {
		return c.devices
	}
	return gpumem.Devices()
}

// group is what one leak has in common.
type group struct {
	device  *gpumem.Device
	kind    gpumem.Kind
	site    gpumem.SiteID
	tag     string
	stream  gpumem.StreamHandle
	pool    gpumem.PoolID
	small   bool
	gcFreed bool
}

// look counts what is alive now, and what only the collector released.
func (c *config) look() *LeakError {
	e := &LeakError{}
	leaks := map[group]*Leak{}
	bytes := int64(0)
	for _, d := range c.targets() {
		// Lost first: it takes out of the live ones what the collector has found.
		lost := d.Lost()
		live := slices.Collect(d.Live())
		inArena := arenas(live)
		count := func(r gpumem.Record, gcFreed bool) {
			if c.ignored(d, r) || r.Kind == gpumem.KindBuffer && inArena[r.Addr] {
				return
			}
			add(leaks, d, r, gcFreed)
			bytes += r.Size
		}
		for _, r := range lost {
			count(r, true)
		}
		for _, r := range live {
			count(r, false)
		}
		e.overBudget(d, c.maxPeak)
	}
	if bytes > c.tolerance || c.tolerance == 0 {
		for _, l := range leaks {
			l.Rule = c.ruleOf(l)
			e.Leaks = append(e.Leaks, *l)
		}
		slices.SortFunc(e.Leaks, compareLeaks)
	}
	if len(e.Leaks) == 0 && len(e.Budget) == 0 {
		return nil
	}
	return e
}

// arenas gives the addresses of the live arenas, whose buffers are not leaks of
// their own.
func arenas(live []gpumem.Record) map[gpumem.Ptr]bool {
	var out map[gpumem.Ptr]bool
	for _, r := range live {
		if r.Kind != gpumem.KindArena {
			continue
		}
		if out == nil {
			out = map[gpumem.Ptr]bool{}
		}
		out[r.Addr] = true
	}
	return out
}

// smallRequest is the largest size that the small pool serves, in bytes.
const smallRequest = 1 << 20

func add(leaks map[group]*Leak, d *gpumem.Device, r gpumem.Record, gcFreed bool) {
	g := group{d, r.Kind, r.Site, r.Tag, r.Stream, r.Pool, r.Size <= smallRequest, gcFreed}
	l := leaks[g]
	if l == nil {
		l = &Leak{Device: d.Name(), Kind: r.Kind, Site: r.Site, Tag: r.Tag, Stream: r.Stream, GCFreed: gcFreed, Pool: "large", device: d}
		if g.small {
			l.Pool = "small"
		}
		if name := d.PoolName(r.Pool); name != "" {
			l.Pool = name
		}
		leaks[g] = l
	}
	l.Count++
	l.Bytes += r.Size
	l.Requested += r.Requested
	if !r.Born.IsZero() {
		l.Age = max(l.Age, time.Since(r.Born))
	}
	l.step, l.lastStep = min(l.step, r.Step), max(l.lastStep, r.Step)
	if l.Count == 1 {
		l.step, l.lastStep = r.Step, r.Step
	}
}
