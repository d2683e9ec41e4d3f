// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"math/rand/v2"
	"time"
)

// AllocPath is the way that an allocation took.
type AllocPath uint8

// The paths, from the fastest on.
const (
	PathHit    AllocPath = iota // the cache had a block
	PathDriver                  // the driver was asked, or another stream's memory taken
	PathRetry                   // there was no room at first, and some had to be made
)

// String gives the path as one word.
func (p AllocPath) String() string {
	switch p {
	case PathHit:
		return "hit"
	case PathDriver:
		return "driver"
	default:
		return "retry"
	}
}

// HitSample is how many hits there are for one that an observer sees. Reading
// the clock twice takes as long as a hit does.
const HitSample = 64

// observer is told how long allocations take.
type observer struct {
	f func(AllocPath, time.Duration)
}

// OnAlloc calls f with the time that each allocation took which the cache did
// not serve, also of those that failed, and of one in HitSample that it did.
// f is called without locks, on the goroutine that allocates: it must be
// quick and must not allocate on the device. A device has one observer; the
// last one counts. remove takes f off again.
func (d *Device) OnAlloc(f func(AllocPath, time.Duration)) (remove func()) {
	o := &observer{f}
	d.observer.Store(o)
	return func() { d.observer.CompareAndSwap(o, nil) }
}

// begin gives the time if this allocation is to be timed as a hit, else the
// zero time.
func (o *observer) begin() time.Time {
	if rand.Uint32()%HitSample != 0 {
		return time.Time{}
	}
	return time.Now()
}

// end reports a hit that begin has picked.
func (o *observer) end(began time.Time) {
	if !began.IsZero() {
		o.f(PathHit, time.Since(began))
	}
}

// observedMiss is miss for a device with an observer.
func (d *Device) observedMiss(o *observer, r request) (Buffer, error) {
	began := time.Now()
	buf, path, err := d.missOn(r)
	o.f(path, time.Since(began))
	return buf, err
}
