// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Stream is a queue of work on a device. Memory allocated for a stream is
// reused in the stream's order without waiting.
type Stream struct {
	dev  *Device
	heap *heap
	id   uint64 // in the registry; 0 for the default stream
	gone atomic.Bool
}

// Event marks a point in a stream's work.
type Event struct {
	dev    *Device
	handle EventHandle
	id     uint64
	gone   atomic.Bool
}

// DefaultStream is the stream that is meant where none is named.
func (d *Device) DefaultStream() *Stream { return d.stream0 }

// NewStream makes a stream. Close it when its work is done.
func (d *Device) NewStream() (*Stream, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("new stream on %s: %w", d.name, ErrClosed)
	}
	h, err := d.drv.NewStream()
	if err != nil {
		return nil, fmt.Errorf("new stream on %s: %w", d.name, err)
	}
	s := &Stream{dev: d, heap: d.heapFor(d.pool0, h)}
	s.heap.ended.Store(false) // a driver may use a handle again
	s.id = d.live.add(d, Record{Kind: KindStream, Stream: h}, func() error { return d.drv.DestroyStream(h) })
	return s, nil
}

// WrapStream uses a stream that somebody else made, such as another library
// in the process, and that outlives the device. Closing it does nothing to
// the driver's stream.
func (d *Device) WrapStream(h StreamHandle) *Stream {
	if h == 0 {
		return d.stream0
	}
	s := &Stream{dev: d, heap: d.heapFor(d.pool0, h)}
	s.heap.ended.Store(false)
	return s
}

// ended reports whether a stream was closed. Its work is done then, and the
// driver does not know it any more.
func (d *Device) ended(s StreamHandle) bool {
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	h := d.heaps[heapKey{0, s}]
	return h != nil && h.ended.Load()
}

// running gives those of the streams that may still have work.
func (d *Device) running(streams []StreamHandle) []StreamHandle {
	return slices.DeleteFunc(slices.Clone(streams), d.ended)
}

func (s *Stream) handle() StreamHandle { return s.heap.stream }

// Handle is the driver's name of the stream.
func (s *Stream) Handle() StreamHandle { return s.handle() }

// Wait makes the work given to s from now on wait for what e marks. It does
// not block.
func (s *Stream) Wait(e *Event) error {
	if s.gone.Load() || e.gone.Load() {
		return fmt.Errorf("stream wait: %w", ErrClosed)
	}
	return s.dev.drv.Wait(s.handle(), e.handle)
}

// Sync blocks until the work given to s is done.
func (s *Stream) Sync() error {
	if s.gone.Load() {
		return fmt.Errorf("stream sync: %w", ErrClosed)
	}
	return s.dev.drv.SyncStream(s.handle())
}

// Close waits for the stream's work and gives it up, with what the cache
// holds for it. Buffers that were allocated for it stay usable on other
// streams. Closing the default stream is an error.
func (s *Stream) Close() error {
	if s == s.dev.stream0 {
		return fmt.Errorf("close the default stream: %w", ErrInvalid)
	}
	if s.gone.Swap(true) {
		return fmt.Errorf("close stream: %w", ErrClosed)
	}
	if s.id == 0 {
		return nil // wrapped: its owner closes it
	}
	if err := s.dev.drv.SyncStream(s.handle()); err != nil {
		return fmt.Errorf("close stream %d: %w", s.handle(), err)
	}
	s.heap.ended.Store(true)
	s.dev.abandon(s.heap)
	if _, err := s.dev.live.remove(s.dev, s.id); err != nil {
		return fmt.Errorf("close stream %d: %w", s.handle(), err)
	}
	return nil
}

// NewEvent makes an event that marks nothing yet.
func (d *Device) NewEvent() (*Event, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("new event on %s: %w", d.name, ErrClosed)
	}
	h, err := d.drv.NewEvent()
	if err != nil {
		return nil, fmt.Errorf("new event on %s: %w", d.name, err)
	}
	e := &Event{dev: d, handle: h}
	e.id = d.live.add(d, Record{Kind: KindEvent}, func() error { return d.drv.DestroyEvent(h) })
	return e, nil
}

// Record marks the work given to s so far.
func (e *Event) Record(s *Stream) error {
	if e.gone.Load() || s.gone.Load() {
		return fmt.Errorf("record event: %w", ErrClosed)
	}
	return e.dev.drv.Record(e.handle, s.handle())
}

// Done reports whether the marked work is done.
func (e *Event) Done() (bool, error) {
	if e.gone.Load() {
		return false, fmt.Errorf("query event: %w", ErrClosed)
	}
	return e.dev.drv.Query(e.handle)
}

// Sync waits until the marked work is done or ctx is.
func (e *Event) Sync(ctx context.Context) error {
	if ctx.Done() == nil { // nothing can interrupt the wait
		if e.gone.Load() {
			return fmt.Errorf("sync event: %w", ErrClosed)
		}
		return e.dev.drv.SyncEvent(e.handle)
	}
	for pause := time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		done, err := e.Done()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("sync event: %w", context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// Close gives the event up.
func (e *Event) Close() error {
	if e.gone.Swap(true) {
		return fmt.Errorf("close event: %w", ErrClosed)
	}
	_, err := e.dev.live.remove(e.dev, e.id)
	return err
}
