// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// recorded is a driver that answers as the recorded device did: segments come
// at the recorded addresses, because the allocator breaks ties by address, and
// events are done where the history has the free completed. An allocator that
// departs from the recording gets addresses of its own.
type recorded struct {
	info     gpumem.DeviceInfo
	segments []gpumem.Entry // segment_alloc events that were not used yet
	mapped   []gpumem.Entry // segment_map events that were not used yet
	ranges   []span         // reserved
	invented gpumem.Ptr
	sizes    map[gpumem.Ptr]int64
	used     int64
	events   map[gpumem.EventHandle]gpumem.StreamHandle
	handles  uint64
	refuse   int                          // calls for memory to refuse, as the recorded device did
	pending  map[gpumem.StreamHandle]bool // work of made-up streams that is not done
}

type span struct {
	at   gpumem.Ptr
	size int64
}

// strangers is where addresses start that no recording has.
const strangers = gpumem.Ptr(0x10_0000_0000_0000)

// deviceTotal is the capacity of the recorded device where nobody says: the
// recordings that came with this project are from an H200.
const deviceTotal = int64(150_110_011_392)

func newRecorded(t *Trace) *recorded {
	d := &recorded{info: gpumem.DeviceInfo{Name: t.Name, UUID: "replay", Total: deviceTotal}, invented: strangers,
		sizes: map[gpumem.Ptr]int64{}, events: map[gpumem.EventHandle]gpumem.StreamHandle{},
		pending: map[gpumem.StreamHandle]bool{}}
	for _, e := range t.Events {
		switch e.Action {
		case gpumem.ActionSegmentAlloc:
			d.segments = append(d.segments, e)
		case gpumem.ActionSegmentMap:
			d.mapped = append(d.mapped, e)
		}
	}
	return d
}

func (d *recorded) Info() (gpumem.DeviceInfo, error) { return d.info, nil }

func (d *recorded) MemInfo() (free, total int64, err error) {
	return d.info.Total - d.used, d.info.Total, nil
}

// grants reports whether the device has n bytes more.
func (d *recorded) grants(n int64) bool {
	if d.refuse > 0 {
		d.refuse--
		return false
	}
	return d.used+n <= d.info.Total
}

// Alloc gives the next recorded segment, if it is of that size.
func (d *recorded) Alloc(n int64) (gpumem.Ptr, error) {
	if !d.grants(n) {
		return 0, gpumem.ErrOutOfMemory
	}
	p := d.invented
	if len(d.segments) > 0 && d.segments[0].Size == n && d.sizes[d.segments[0].Addr] == 0 {
		p = d.segments[0].Addr
		d.segments = d.segments[1:]
	} else {
		d.invented += gpumem.Ptr(n+1<<21) &^ (1<<21 - 1)
	}
	d.sizes[p] = n
	d.used += n
	return p, nil
}

func (d *recorded) Free(p gpumem.Ptr) error {
	n, ok := d.sizes[p]
	if !ok {
		return fmt.Errorf("free %v: %w", p, gpumem.ErrForeignPointer)
	}
	delete(d.sizes, p)
	d.used -= n
	return nil
}

func (d *recorded) Granularity() int64 { return 2 << 20 }

// Reserve gives the address of the next recorded mapping that lies in no
// earlier range: the lowest page of a range is mapped first.
func (d *recorded) Reserve(n int64) (gpumem.Ptr, error) {
	p := d.invented
	for _, e := range d.mapped {
		if !d.reserved(e.Addr) {
			p = e.Addr
			break
		}
	}
	if p == d.invented {
		d.invented += gpumem.Ptr(n)
	}
	d.ranges = append(d.ranges, span{p, n})
	return p, nil
}

func (d *recorded) reserved(p gpumem.Ptr) bool {
	for _, r := range d.ranges {
		if p >= r.at && p < r.at+gpumem.Ptr(r.size) {
			return true
		}
	}
	return false
}

func (d *recorded) Release(p gpumem.Ptr, n int64) error {
	for i, r := range d.ranges {
		if r == (span{p, n}) {
			d.ranges = append(d.ranges[:i], d.ranges[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("release %v: %w", p, gpumem.ErrForeignPointer)
}

func (d *recorded) Map(_ gpumem.Ptr, n, _ int64) error {
	if !d.grants(n) {
		return gpumem.ErrOutOfMemory
	}
	d.used += n
	return nil
}

func (d *recorded) Unmap(_ gpumem.Ptr, n int64) error {
	d.used -= n
	return nil
}

func (d *recorded) NewStream() (gpumem.StreamHandle, error) {
	d.handles++
	return gpumem.StreamHandle(d.handles), nil
}
func (d *recorded) DestroyStream(gpumem.StreamHandle) error { return nil }
func (d *recorded) SyncStream(gpumem.StreamHandle) error    { return nil }

func (d *recorded) NewEvent() (gpumem.EventHandle, error) {
	d.handles++
	return gpumem.EventHandle(d.handles), nil
}
func (d *recorded) DestroyEvent(gpumem.EventHandle) error { return nil }

func (d *recorded) Record(e gpumem.EventHandle, s gpumem.StreamHandle) error {
	d.events[e] = s
	return nil
}
func (d *recorded) Wait(gpumem.StreamHandle, gpumem.EventHandle) error { return nil }

// Query reports whether the history has the free completed.
func (d *recorded) Query(e gpumem.EventHandle) (bool, error) {
	return !d.pending[d.events[e]], nil
}

func (d *recorded) SyncEvent(e gpumem.EventHandle) error {
	delete(d.pending, d.events[e])
	return nil
}

func (d *recorded) Close() error { return nil }
