// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"runtime"
	"sync"
)

// maxLost bounds the records kept of lost buffers; all are counted.
const maxLost = 1000

// sentinel is a Go object that every copy of a handle points to: when the
// garbage collector finds it unreachable the program has lost the buffer.
type sentinel struct {
	self    *sentinel // a pointer keeps it out of the tiny allocator
	cleanup runtime.Cleanup
}

// lostBlock names an allocation without keeping its handle reachable.
type lostBlock struct {
	dev *Device
	b   *block
	id  uint64
}

// lostQueue has the allocations that only the garbage collector found. The
// cleanup goroutine puts them here; the next allocation or Trim takes them,
// so that no driver call is made on the collector's time.
type lostQueue struct {
	mu      sync.Mutex
	waiting []lostBlock
	records []Record
}

func (d *Device) newSentinel(b Buffer) *sentinel {
	s := &sentinel{}
	s.self = s
	s.cleanup = runtime.AddCleanup(s, func(l lostBlock) { l.dev.lost.add(l) }, lostBlock{d, b.b, b.id})
	return s
}

// defuse is called by Close: the buffer is not lost.
func (s *sentinel) defuse() { s.cleanup.Stop() }

func (q *lostQueue) add(l lostBlock) {
	q.mu.Lock()
	q.waiting = append(q.waiting, l)
	q.mu.Unlock()
	l.dev.attention.Add(1)
}

// drainLost releases the buffers in the queue and says how many bytes that
// were.
func (d *Device) drainLost() (released int64) {
	d.lost.mu.Lock()
	waiting := d.lost.waiting
	d.lost.waiting = nil
	d.lost.mu.Unlock()
	for _, l := range waiting {
		d.attention.Add(-1)
		h := l.b.heap
		h.mu.Lock()
		if l.b.id != l.id || l.b.closed {
			h.mu.Unlock()
			continue // closed after all, by an address-only path
		}
		rec := l.b.record()
		released += rec.Size
		// An error would concern the streams' events; the memory is pending
		// then and the next sync finds it.
		_ = d.release(l.b)
		d.acct.count(&d.acct.lost)
		d.lost.mu.Lock()
		if len(d.lost.records) < maxLost {
			d.lost.records = append(d.lost.records, rec)
		}
		d.lost.mu.Unlock()
	}
	return released
}

// Lost lists the buffers that the program never closed and that the garbage
// collector found, up to 1000; Stats.FinalizerFrees has their number. It needs
// WithRescue, and a garbage collection since they were lost.
func (d *Device) Lost() []Record {
	d.drainLost()
	d.lost.mu.Lock()
	defer d.lost.mu.Unlock()
	return append([]Record(nil), d.lost.records...)
}
