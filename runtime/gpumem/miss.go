// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"
)

// errNoRoom is the allocator's own refusal: the limit forbids the memory.
var errNoRoom = fmt.Errorf("over the limit: %w", ErrOutOfMemory)

// miss serves what the free set could not. It asks the driver, and climbs a
// ladder of ways to make room where the driver has no memory.
func (d *Device) miss(r request) (Buffer, error) {
	buf, _, err := d.missOn(r)
	return buf, err
}

// missOn is miss and says which way it went.
func (d *Device) missOn(r request) (Buffer, AllocPath, error) {
	buf, err := d.climb(&r)
	path := PathDriver
	if len(r.attempts) > 0 {
		path = PathRetry
	}
	if err == nil {
		d.checkPressure()
		return buf, path, nil
	}
	var oom *OOMError
	if errors.As(err, &oom) {
		return Buffer{}, path, err
	}
	return Buffer{}, path, fmt.Errorf("allocate %v on %s: %w", Bytes(r.n), d.name, err)
}

// climb tries one rung after the other. Each try holds slow, so that one
// goroutine at a time asks the driver; what runs the program's code does not.
func (d *Device) climb(r *request) (Buffer, error) {
	if r.ctx != nil {
		d.waiters.Add(1) // from here on, every Close is noticed
		defer d.waiters.Add(-1)
	}
	seen := d.freedCount()
	buf, err := d.attempt(r, false)
	if !errors.Is(err, ErrOutOfMemory) {
		return buf, err // served, or the device is broken: do not retry
	}
	if d.pressureGC {
		released := d.collectGo()
		r.note("finalizers", released, nil)
		if buf, err = d.attempt(r, true); !errors.Is(err, ErrOutOfMemory) {
			return buf, err
		}
	}
	for {
		report := d.oomReport(r)
		if !d.askOOM(report) {
			if r.ctx == nil {
				return Buffer{}, d.giveUp(r, report)
			}
			if !d.waitFreed(r.ctx, seen) {
				report.Attempts = append(report.Attempts, Attempt{Step: "wait", Failed: context.Cause(r.ctx).Error()})
				return Buffer{}, d.giveUp(r, report)
			}
			r.note("wait", 0, nil)
		} else {
			r.note("observer", 0, nil)
		}
		if d.closed.Load() {
			return Buffer{}, ErrClosed
		}
		seen = d.freedCount()
		if buf, err = d.attempt(r, true); !errors.Is(err, ErrOutOfMemory) {
			return buf, err
		}
	}
}

// giveUp counts and records a failed allocation.
func (d *Device) giveUp(r *request, e *OOMError) error {
	d.acct.count(&d.acct.ooms)
	if d.hist != nil {
		d.hist.add(Entry{Action: ActionOOM, Pool: r.heap.pool.id, Site: r.site, Addr: Ptr(e.DeviceFree), Size: r.size,
			Stream: r.heap.stream, Time: d.stamp(), Tag: r.tag})
	}
	return e
}

// attempt asks the cache again and then the driver. again says that an
// earlier attempt failed, so that the cache has to be searched first.
func (d *Device) attempt(r *request, again bool) (Buffer, error) {
	if !d.slow.TryLock() {
		d.slow.Lock()
		again = true // whoever held the lock may have brought memory
	}
	defer d.slow.Unlock()
	if d.closed.Load() {
		return Buffer{}, ErrClosed
	}
	h := r.heap
	if again {
		h.mu.Lock()
		if b := h.alloc(r); b != nil {
			return d.handOut(b)
		}
		h.mu.Unlock()
	} else {
		d.acct.count(&d.acct.misses)
	}
	var b *block
	var err error
	switch {
	case d.noCache:
		b, err = d.segmentFor(r, r.size)
	case d.policy == PolicyPyTorch:
		b, err = d.missPyTorch(r)
	default:
		b, err = d.missBest(r)
	}
	if errors.Is(err, ErrOutOfMemory) {
		if lent, e := d.lastResort(r); lent != nil || e != nil {
			b, err = lent, e
		}
	}
	if err != nil {
		return Buffer{}, err
	}
	return d.handOut(b) // b's heap is locked
}

// segmentFor gets a segment of size bytes from the driver and gives r its
// block. The heap is locked on success.
func (d *Device) segmentFor(r *request, size int64) (*block, error) {
	if d.overLimit(size) {
		return nil, errNoRoom
	}
	p, err := d.drv.Alloc(size)
	if err != nil {
		return nil, err
	}
	h := r.heap
	d.acct.segment(r.kind, size, false, d.conf.MaxSplitSize)
	h.mu.Lock()
	b := h.adopt(p, size, r.kind, r.site)
	d.recordSegment(ActionSegmentAlloc, h, p, size, r.site)
	h.own(b, r)
	return b, nil
}

// overLimit reports whether size more bytes would exceed the limit.
func (d *Device) overLimit(size int64) bool {
	limit := d.limit.Load()
	if limit == 0 || d.acct.total()+size <= limit {
		return false
	}
	d.acct.count(&d.acct.rejections)
	return true
}

// recordSegment adds a driver call to the history.
func (d *Device) recordSegment(a Action, h *heap, p Ptr, size int64, site SiteID) {
	if d.hist != nil {
		d.hist.add(Entry{Action: a, Pool: h.pool.id, Site: site, Addr: p, Size: size, Stream: h.stream, Time: d.stamp()})
	}
}

// note adds a rung to the report of a possible failure.
func (r *request) note(step string, released int64, err error) {
	a := Attempt{Step: step, Released: released}
	if err != nil {
		a.Failed = err.Error()
	}
	r.attempts = append(r.attempts, a)
}

// lastResort takes free memory of another heap for r where the policy has
// found none: from pools that allow it. The heap is locked on success.
func (d *Device) lastResort(r *request) (*block, error) {
	for _, h := range d.allHeaps() {
		if !h.pool.useOnOOM || h == r.heap {
			continue
		}
		if b, err := d.borrow(r, h); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// borrow takes a block of h for r's stream. The block goes back to h when it
// is closed. h is locked on success; nil is no such block.
func (d *Device) borrow(r *request, h *heap) (*block, error) {
	h.mu.Lock()
	b := h.find(r.kind, r.size)
	if b == nil {
		h.mu.Unlock()
		return nil, nil
	}
	if h.stream == r.heap.stream {
		h.free[r.kind].remove(b)
		h.own(b, r)
		return b, nil // same stream, another pool: in order anyway
	}
	// Whatever h's stream was given until now may use the block. It is out of
	// the set before the event is recorded: memory that is freed later is used
	// by work that the event does not cover.
	h.free[r.kind].remove(b)
	b.state = stateBusy
	h.mu.Unlock()
	f, err := d.events.fenceFor(d.running([]StreamHandle{h.stream}))
	h.mu.Lock()
	b.state = stateFree
	if err != nil {
		h.settle(b)
		h.mu.Unlock()
		return nil, err
	}
	h.own(b, r)
	if rest := b.next; rest != nil && rest.state == stateFree {
		h.free[r.kind].remove(rest) // its neighbour may have been freed meanwhile
		h.settle(rest)
	}
	b.user = r.heap.stream
	if f != nil {
		b.fence = b.fence.join(f)
	}
	return b, nil
}

// uncache gives a closed block straight back to the driver; it is pending.
func (d *Device) uncache(b *block) error {
	h := b.heap
	d.slow.Lock()
	defer d.slow.Unlock()
	h.mu.Lock()
	p, size, kind := b.addr, b.size, b.kind
	h.c.retire(kind, size, b.req)
	h.disown(b)
	d.recordSegment(ActionSegmentFree, h, p, size, 0)
	h.mu.Unlock()
	d.acct.segment(kind, -size, false, d.conf.MaxSplitSize)
	if err := d.drv.Free(p); err != nil {
		return fmt.Errorf("free %v at %v: %w", Bytes(size), p, err)
	}
	return nil
}

// wake tells waiting allocations that memory became free.
func (d *Device) wake() {
	if d.waiters.Load() == 0 {
		return
	}
	d.freed.L.Lock()
	d.closes++
	d.freed.Broadcast()
	d.freed.L.Unlock()
}

// freedCount is how often memory became free while somebody waited for it.
func (d *Device) freedCount() int64 {
	d.freed.L.Lock()
	defer d.freed.L.Unlock()
	return d.closes
}

// waitFreed waits until more memory became free than when freedCount gave
// seen; it is false when ctx is done.
func (d *Device) waitFreed(ctx context.Context, seen int64) bool {
	stop := context.AfterFunc(ctx, func() {
		d.freed.L.Lock()
		d.freed.Broadcast()
		d.freed.L.Unlock()
	})
	defer stop()
	d.freed.L.Lock()
	defer d.freed.L.Unlock()
	for d.closes == seen && ctx.Err() == nil && !d.closed.Load() {
		d.freed.Wait()
	}
	return ctx.Err() == nil
}

// collectGo runs Go's garbage collector so that cleanups release what the
// program has lost, and takes what they released. Two runs are needed: a
// cleanup may drop the last reference to the next object.
func (d *Device) collectGo() (released int64) {
	for range 2 {
		runtime.GC()
		awaitCleanups()
		released += d.drainLost()
	}
	return released
}

// awaitCleanups waits, for a bounded time, until the cleanups that are queued
// have run. They run on goroutines of their own.
func awaitCleanups() {
	samples := []metrics.Sample{
		{Name: "/gc/cleanups/queued:cleanups"}, {Name: "/gc/cleanups/executed:cleanups"},
		{Name: "/gc/finalizers/queued:finalizers"}, {Name: "/gc/finalizers/executed:finalizers"},
	}
	behind := func(i int) bool {
		a, b := samples[i].Value, samples[i+1].Value
		return a.Kind() == metrics.KindUint64 && b.Kind() == metrics.KindUint64 && b.Uint64() < a.Uint64()
	}
	for range 200 {
		metrics.Read(samples)
		if samples[0].Value.Kind() == metrics.KindBad {
			time.Sleep(time.Millisecond) // a Go release without the metric
			return
		}
		if !behind(0) && !behind(2) {
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
}
