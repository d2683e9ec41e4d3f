// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"
)

// registry lists the live resources that are not blocks: streams, events,
// views, pools and arenas. They are made rarely, so one lock is enough.
type registry struct {
	mu   sync.Mutex
	seq  uint64
	live map[uint64]*resource
}

type resource struct {
	rec     Record
	destroy func() error // gives it back to the driver; may be nil
}

func (r *registry) init() { r.live = map[uint64]*resource{} }

// add lists a new resource and gives its id. Ids do not collide with those of
// buffers, whose high bits are never 0. The site is that of the caller of add's
// caller, an exported method.
func (r *registry) add(d *Device, rec Record, destroy func() error) uint64 {
	if d.tracking != TrackOff && rec.Site == 0 {
		rec.Site = callerSite(d.tracking, 2)
	}
	if d.timed {
		rec.Born, rec.Step = d.now(), d.step.Load()
	}
	d.acct.resource(rec.Kind, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	rec.ID = r.seq
	r.live[rec.ID] = &resource{rec, destroy}
	return rec.ID
}

// remove takes a resource off the list and destroys it. It is false where it
// was not on the list.
func (r *registry) remove(d *Device, id uint64) (bool, error) {
	r.mu.Lock()
	res, ok := r.live[id]
	delete(r.live, id)
	r.mu.Unlock()
	if !ok {
		return false, nil // the device was closed first and destroyed it
	}
	d.acct.resource(res.rec.Kind, -1)
	if res.destroy == nil {
		return true, nil
	}
	return true, res.destroy()
}

// records lists the live resources in order of birth.
func (r *registry) records() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Record, 0, len(r.live))
	for _, res := range r.live {
		out = append(out, res.rec)
	}
	slices.SortFunc(out, func(a, b Record) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// destroy gives everything back.
func (r *registry) destroy() error {
	var err error
	for _, rec := range r.records() {
		r.mu.Lock()
		res := r.live[rec.ID]
		delete(r.live, rec.ID)
		r.mu.Unlock()
		if res != nil && res.destroy != nil {
			err = errors.Join(err, res.destroy())
		}
	}
	return err
}

// deviceList lists the open devices of the process.
type deviceList struct {
	mu   sync.Mutex
	list []*Device
}

var openDevices deviceList

func (l *deviceList) add(d *Device) {
	l.mu.Lock()
	l.list = append(l.list, d)
	l.mu.Unlock()
}

func (l *deviceList) remove(d *Device) {
	l.mu.Lock()
	l.list = slices.DeleteFunc(l.list, func(o *Device) bool { return o == d })
	l.mu.Unlock()
}

// Devices lists the devices that are open in the process, oldest first.
func Devices() []*Device {
	openDevices.mu.Lock()
	defer openDevices.mu.Unlock()
	return slices.Clone(openDevices.list)
}

// Live lists what the program holds: buffers first, in address order within
// each stream, then views, streams, events, pools and arenas in order of
// birth. A buffer that is closed but kept by views is not listed; its views
// are.
func (d *Device) Live() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, h := range d.allHeaps() {
			for _, r := range h.records() {
				if !yield(r) {
					return
				}
			}
		}
		for _, r := range d.live.records() {
			if !yield(r) {
				return
			}
		}
	}
}

// records lists the buffers of h that the program holds.
func (h *heap) records() []Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Record
	for _, s := range h.segs {
		for b := s.head; b != nil; b = b.next {
			if b.state == stateHeld && !b.closed {
				out = append(out, b.record())
			}
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return cmp.Compare(a.Addr, b.Addr) })
	return out
}

// record describes a held block; its heap is locked.
func (b *block) record() Record {
	r := Record{ID: b.id, Kind: KindBuffer, Addr: b.addr, Size: b.size, Requested: b.req, Stream: b.user,
		Pool: b.heap.pool.id, Tag: b.tag, Site: b.site, Step: b.step}
	if b.born != 0 {
		r.Born = time.Unix(0, b.born)
	}
	return r
}
