// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"fmt"
	"maps"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// clock is a vector clock: how much of each stream's work is known to be done
// before the point that the clock belongs to.
type clock map[gpumem.StreamHandle]int64

// join makes c know what o knows.
func (c clock) join(o clock) {
	for s, n := range o {
		c[s] = max(c[s], n)
	}
}

type stream struct {
	clock clock         // its own entry counts the work given to it
	done  time.Duration // virtual time when that work ends
}

type event struct {
	clock clock
	done  time.Duration
}

// work adds one piece of work to s that the host gives it now.
func (d *Device) work(h gpumem.StreamHandle, s *stream) {
	s.clock.join(d.host)
	s.clock[h]++
}

func (d *Device) stream(h gpumem.StreamHandle) (*stream, error) {
	s := d.streams[h]
	if s == nil {
		return nil, fmt.Errorf("simulated device: stream %d: %w", h, gpumem.ErrForeignPointer)
	}
	return s, nil
}

func (d *Device) event(h gpumem.EventHandle) (*event, error) {
	e := d.events[h]
	if e == nil {
		return nil, fmt.Errorf("simulated device: event %d: %w", h, gpumem.ErrForeignPointer)
	}
	return e, nil
}

// NewStream makes a stream.
func (d *Device) NewStream() (gpumem.StreamHandle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpNewStream, 0); err != nil {
		return 0, err
	}
	h := gpumem.StreamHandle(d.newHandle())
	d.streams[h] = &stream{clock: clock{}}
	return h, nil
}

// DestroyStream ends a stream once its work is done.
func (d *Device) DestroyStream(h gpumem.StreamHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpDestroyStream, 0); err != nil {
		return err
	}
	s, err := d.stream(h)
	if err != nil || h == 0 {
		return fmt.Errorf("simulated device: destroy stream %d: %w", h, gpumem.ErrForeignPointer)
	}
	d.await(s.done, s.clock)
	delete(d.streams, h)
	return nil
}

// SyncStream waits for a stream's work.
func (d *Device) SyncStream(h gpumem.StreamHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpSyncStream, 0); err != nil {
		return err
	}
	s, err := d.stream(h)
	if err != nil {
		return err
	}
	d.await(s.done, s.clock)
	return nil
}

// await is the host waiting until t for the work that c covers.
func (d *Device) await(t time.Duration, c clock) {
	d.now = max(d.now, t)
	d.host.join(c)
}

// syncDevice is the host waiting for all streams.
func (d *Device) syncDevice() {
	for _, s := range d.streams {
		d.await(s.done, s.clock)
	}
}

// NewEvent makes an event, which marks work that is done.
func (d *Device) NewEvent() (gpumem.EventHandle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpNewEvent, 0); err != nil {
		return 0, err
	}
	h := gpumem.EventHandle(d.newHandle())
	d.events[h] = &event{}
	return h, nil
}

// DestroyEvent ends an event.
func (d *Device) DestroyEvent(h gpumem.EventHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpDestroyEvent, 0); err != nil {
		return err
	}
	if _, err := d.event(h); err != nil {
		return err
	}
	delete(d.events, h)
	return nil
}

// Record marks a stream's work so far.
func (d *Device) Record(eh gpumem.EventHandle, sh gpumem.StreamHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpRecord, 0); err != nil {
		return err
	}
	e, err := d.event(eh)
	if err != nil {
		return err
	}
	s, err := d.stream(sh)
	if err != nil {
		return err
	}
	s.clock.join(d.host) // a record is no work: it uses no memory
	e.clock, e.done = maps.Clone(s.clock), s.done
	return nil
}

// Wait makes a stream's later work wait for an event.
func (d *Device) Wait(sh gpumem.StreamHandle, eh gpumem.EventHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpWait, 0); err != nil {
		return err
	}
	e, err := d.event(eh)
	if err != nil {
		return err
	}
	s, err := d.stream(sh)
	if err != nil {
		return err
	}
	s.clock.join(e.clock)
	s.done = max(s.done, e.done)
	return nil
}

// Query reports whether what an event marks is done at the virtual time.
func (d *Device) Query(h gpumem.EventHandle) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpQuery, 0); err != nil {
		return false, err
	}
	e, err := d.event(h)
	if err != nil {
		return false, err
	}
	if e.done > d.now {
		return false, nil
	}
	d.host.join(e.clock)
	return true, nil
}

// SyncEvent waits for what an event marks.
func (d *Device) SyncEvent(h gpumem.EventHandle) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpSyncEvent, 0); err != nil {
		return err
	}
	e, err := d.event(h)
	if err != nil {
		return err
	}
	d.await(e.done, e.clock)
	return nil
}

// Launch gives a stream work that takes t and uses the n bytes at p.
func (d *Device) Launch(h gpumem.StreamHandle, t time.Duration, p gpumem.Ptr, n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.stream(h)
	if err != nil {
		return err
	}
	d.work(h, s)
	s.done = max(s.done, d.now) + t
	if n > 0 {
		d.touch(h, s, p, n)
	}
	return nil
}

// Now is the virtual time since the device was made.
func (d *Device) Now() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// Advance lets virtual time pass.
func (d *Device) Advance(t time.Duration) {
	d.mu.Lock()
	d.now += t
	d.mu.Unlock()
}
