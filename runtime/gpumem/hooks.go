// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"slices"
	"sync"
)

// hooks are the program's callbacks. They are called without any lock of the
// allocator, so they may allocate and close buffers.
type hooks struct {
	mu       sync.Mutex
	seq      int
	oom      []hook[func(*OOMError) bool]
	pressure []pressureHook
}

type hook[F any] struct {
	id int
	f  F
}

type pressureHook struct {
	id    int
	ratio float64
	f     func(Stats)
	above bool // the last call found the ratio exceeded
}

// OnOOM calls f before an allocation fails. Where f has made memory free and
// returns true the allocation is tried again; each call gets a fresh report.
// Callbacks are asked in the order in which they were added. remove takes f
// off again.
func (d *Device) OnOOM(f func(*OOMError) (retry bool)) (remove func()) {
	d.hooks.mu.Lock()
	defer d.hooks.mu.Unlock()
	d.hooks.seq++
	id := d.hooks.seq
	d.hooks.oom = append(d.hooks.oom, hook[func(*OOMError) bool]{id, f})
	return func() {
		d.hooks.mu.Lock()
		defer d.hooks.mu.Unlock()
		d.hooks.oom = slices.DeleteFunc(d.hooks.oom, func(h hook[func(*OOMError) bool]) bool { return h.id == id })
	}
}

// askOOM asks the callbacks whether to try again.
func (d *Device) askOOM(e *OOMError) bool {
	d.hooks.mu.Lock()
	list := slices.Clone(d.hooks.oom)
	d.hooks.mu.Unlock()
	for _, h := range list {
		if h.f(e) {
			return true
		}
	}
	return false
}

// OnPressure calls f when active bytes have grown past the fraction ratio of
// the limit (or of the device's memory where there is no limit). It is checked
// when memory is got from the driver, and f is called once for each time that
// the ratio is passed. remove takes f off again.
func (d *Device) OnPressure(ratio float64, f func(Stats)) (remove func()) {
	d.hooks.mu.Lock()
	defer d.hooks.mu.Unlock()
	d.hooks.seq++
	id := d.hooks.seq
	d.hooks.pressure = append(d.hooks.pressure, pressureHook{id: id, ratio: ratio, f: f})
	return func() {
		d.hooks.mu.Lock()
		defer d.hooks.mu.Unlock()
		d.hooks.pressure = slices.DeleteFunc(d.hooks.pressure, func(h pressureHook) bool { return h.id == id })
	}
}

// checkPressure calls the pressure callbacks whose ratio was passed; no lock
// is held.
func (d *Device) checkPressure() {
	d.hooks.mu.Lock()
	if len(d.hooks.pressure) == 0 {
		d.hooks.mu.Unlock()
		return
	}
	d.hooks.mu.Unlock()
	var s Stats
	d.ReadStats(&s)
	allowed := s.Limit
	if allowed == 0 {
		allowed = s.DeviceTotal
	}
	var call []func(Stats)
	d.hooks.mu.Lock()
	for i := range d.hooks.pressure {
		h := &d.hooks.pressure[i]
		above := float64(s.ActiveBytes.All.Current) > h.ratio*float64(allowed)
		if above && !h.above {
			call = append(call, h.f)
		}
		h.above = above
	}
	d.hooks.mu.Unlock()
	for _, f := range call {
		f(s)
	}
}
