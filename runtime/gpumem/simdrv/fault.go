// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Op is a kind of driver call.
type Op uint8

// The driver calls.
const (
	OpInfo Op = iota
	OpMemInfo
	OpAlloc
	OpFree
	OpReserve
	OpRelease
	OpMap
	OpUnmap
	OpNewStream
	OpDestroyStream
	OpSyncStream
	OpNewEvent
	OpDestroyEvent
	OpRecord
	OpWait
	OpQuery
	OpSyncEvent
	OpCopy
	numOps
)

var opNames = [numOps]string{"info", "meminfo", "alloc", "free", "reserve", "release", "map", "unmap", "new stream",
	"destroy stream", "sync stream", "new event", "destroy event", "record", "wait", "query", "sync event", "copy"}

// String gives the call's name.
func (o Op) String() string {
	if o < numOps {
		return opNames[o]
	}
	return "unknown"
}

// Ops lists all kinds of calls.
func Ops() []Op {
	out := make([]Op, numOps)
	for i := range out {
		out[i] = Op(i)
	}
	return out
}

type fault struct {
	op   Op
	left int64 // calls until it strikes
	err  error
}

// FailNth makes the n-th call of a kind from now on fail once, 1 being the
// next. err nil is out of memory.
func (d *Device) FailNth(op Op, n int64, err error) {
	if err == nil {
		err = gpumem.ErrOutOfMemory
	}
	d.mu.Lock()
	d.faults = append(d.faults, fault{op, n, err})
	d.mu.Unlock()
}

// OnCall asks f before every call; an error that it returns is the call's. n
// is the call's size in bytes, 0 where it has none. f is called with the
// device locked and does not call it back.
func (d *Device) OnCall(f func(op Op, n int64) error) {
	d.mu.Lock()
	d.hooks = append(d.hooks, f)
	d.mu.Unlock()
}

// Calls is the number of calls of a kind so far, failed ones included.
func (d *Device) Calls(op Op) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[op]
}

// call counts a call, charges it and says whether it is to fail; mu is held.
func (d *Device) call(op Op, n int64) error {
	if d.closed {
		return ErrClosed
	}
	d.calls[op]++
	if op != OpMap && op != OpUnmap { // charged by the page
		d.spend(op)
	}
	for i := range d.faults {
		f := &d.faults[i]
		if f.op != op || f.left <= 0 {
			continue
		}
		if f.left--; f.left == 0 {
			return fmt.Errorf("simulated device: injected fault at %s: %w", op, f.err)
		}
	}
	for _, f := range d.hooks {
		if err := f(op, n); err != nil {
			return err
		}
	}
	return nil
}

// Latency is the time that calls take. The defaults of H200 were measured on
// that device.
type Latency [numOps]time.Duration

// H200 gives the latencies measured on an H200; map and unmap are for each
// page.
func H200() *Latency {
	return &Latency{
		OpAlloc: 30 * time.Microsecond, OpFree: 31 * time.Microsecond,
		OpMap: 34 * time.Microsecond, OpUnmap: 25 * time.Microsecond,
		OpQuery: 159 * time.Nanosecond, OpRecord: 500 * time.Nanosecond, OpWait: 500 * time.Nanosecond,
		OpNewEvent: time.Microsecond, OpNewStream: 10 * time.Microsecond,
	}
}

// spend moves the virtual clock by what a call costs; mu is held.
func (d *Device) spend(op Op) {
	if d.cfg.Latency != nil {
		d.now += d.cfg.Latency[op]
	}
}
