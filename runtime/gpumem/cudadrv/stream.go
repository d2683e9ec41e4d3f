// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"unsafe"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// NewStream creates a stream that does not wait for the default stream.
func (d *Driver) NewStream() (gpumem.StreamHandle, error) {
	var s gpumem.StreamHandle
	err := d.call("cuStreamCreate", d.api.streamCreate, uintptr(unsafe.Pointer(&s)), nonBlocking)
	return s, err
}

// DestroyStream ends a stream once the work queued on it is done.
func (d *Driver) DestroyStream(s gpumem.StreamHandle) error {
	return d.releasing("cuStreamDestroy", d.api.streamDestroy, uintptr(s))
}

// SyncStream blocks until the work queued on s is done.
func (d *Driver) SyncStream(s gpumem.StreamHandle) error {
	return d.call("cuStreamSynchronize", d.api.streamSynchronize, uintptr(s))
}

// NewEvent creates an event without a clock, the cheap kind.
func (d *Driver) NewEvent() (gpumem.EventHandle, error) {
	var e gpumem.EventHandle
	err := d.call("cuEventCreate", d.api.eventCreate, uintptr(unsafe.Pointer(&e)), noTiming)
	return e, err
}

// DestroyEvent gives an event back; waits queued on it still happen.
func (d *Driver) DestroyEvent(e gpumem.EventHandle) error {
	return d.releasing("cuEventDestroy", d.api.eventDestroy, uintptr(e))
}

// Record marks in e the work queued on s so far.
func (d *Driver) Record(e gpumem.EventHandle, s gpumem.StreamHandle) error {
	return d.call("cuEventRecord", d.api.eventRecord, uintptr(e), uintptr(s))
}

// Wait makes later work on s wait for e; the caller goes on.
func (d *Driver) Wait(s gpumem.StreamHandle, e gpumem.EventHandle) error {
	return d.call("cuStreamWaitEvent", d.api.streamWaitEvent, uintptr(s), uintptr(e), 0)
}

// Query reports whether the work marked in e is done.
func (d *Driver) Query(e gpumem.EventHandle) (bool, error) {
	if d.closed.Load() {
		return false, gpumem.ErrClosed
	}
	switch code := d.code(d.api.eventQuery, uintptr(e)); code {
	case success:
		return true, nil
	case notReady:
		return false, nil
	default:
		return false, d.api.failure("cuEventQuery", code)
	}
}

// SyncEvent blocks until the work marked in e is done.
func (d *Driver) SyncEvent(e gpumem.EventHandle) error {
	return d.call("cuEventSynchronize", d.api.eventSynchronize, uintptr(e))
}
