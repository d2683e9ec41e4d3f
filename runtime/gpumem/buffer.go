// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"
)

// Buffer is a handle to device memory. Copies denote the same memory: closing
// one closes it for all, and a further Close returns ErrDoubleFree. The zero
// Buffer denotes nothing. A handle stays safe to use after Close, whatever
// happens to the memory.
type Buffer struct {
	b    *block
	id   uint64
	ptr  Ptr
	len  int64
	cap  int64
	keep *sentinel // notices that the program lost the handle; see WithRescue
}

// request is one allocation on its way through the allocator.
type request struct {
	n    int64 // bytes asked for
	size int64 // rounded
	kind uint8
	heap *heap
	site SiteID
	tag  string
	now  int64
	ctx  context.Context

	attempts []Attempt // the ladder that a miss climbed
}

// Alloc gives n bytes of device memory. Work that uses the memory is to be
// given to the stream that On names (the default stream without it); for
// others see [Buffer.UsedOn]. n may be 0.
//
// Where there is no memory the error is an *OOMError, which matches
// ErrOutOfMemory; before it gives up, Alloc empties the cache, runs Go's
// garbage collector and asks the OnOOM callbacks.
func (d *Device) Alloc(n int64, opts ...AllocOption) (Buffer, error) {
	return d.allocate(1, n, opts)
}

// allocate is Alloc for the frame that is skip frames above its caller.
func (d *Device) allocate(skip int, n int64, opts []AllocOption) (Buffer, error) {
	if n < 0 || n > maxRequest {
		return Buffer{}, fmt.Errorf("allocate %d bytes: %w", n, ErrInvalid)
	}
	if d.closed.Load() {
		return Buffer{}, fmt.Errorf("allocate %v on %s: %w", Bytes(n), d.name, ErrClosed)
	}
	if d.attention.Load() != 0 {
		if err := d.attend(); err != nil {
			return Buffer{}, fmt.Errorf("allocate %v on %s: %w", Bytes(n), d.name, err)
		}
	}
	r := request{n: n, size: d.conf.roundSize(n), kind: kindLarge, heap: d.stream0.heap}
	if r.size <= smallMax {
		r.kind = kindSmall
	}
	if len(opts) > 0 {
		if err := r.apply(d, opts); err != nil {
			return Buffer{}, fmt.Errorf("allocate %v on %s: %w", Bytes(n), d.name, err)
		}
	}
	if p := r.heap.paged; p != nil && r.kind == kindLarge && r.size%pageBest == 0 {
		r.heap = p
	}
	if d.tracking != TrackOff && r.site == 0 {
		r.site = callerSite(d.tracking, skip+1)
	}
	if d.timed {
		r.now = d.stamp()
	}
	var began time.Time
	o := d.observer.Load()
	if o != nil {
		began = o.begin()
	}
	h := d.lockFor(&r)
	b := h.alloc(&r)
	if b == nil {
		h.mu.Unlock()
		if o != nil {
			return d.observedMiss(o, r)
		}
		return d.miss(r)
	}
	if b.fence == nil && !h.passed && d.watcher == nil && !d.rescue { // the rest of handOut has nothing to do
		buf := Buffer{b: b, id: b.id, ptr: b.addr, len: b.req, cap: b.size}
		h.mu.Unlock()
		if o != nil {
			o.end(began)
		}
		return buf, nil
	}
	buf, err := d.handOut(b)
	if o != nil {
		o.end(began)
	}
	return buf, err
}

// handOut makes the handle of a block that own took; its heap is locked, and
// unlocked on return.
func (d *Device) handOut(b *block) (Buffer, error) {
	h := b.heap
	buf := Buffer{b: b, id: b.id, ptr: b.addr, len: b.req, cap: b.size}
	user, f, check := b.user, b.fence, h.passed
	b.fence, h.passed = nil, false
	h.mu.Unlock()
	if f != nil {
		if err := d.honour(buf, user, f); err != nil {
			return Buffer{}, err
		}
	}
	if check {
		d.checkPeaks(h)
	}
	if d.watcher != nil {
		d.watcher.BlockAlloc(buf.id, buf.ptr, buf.cap, user)
	}
	if d.rescue {
		buf.keep = d.newSentinel(buf)
	}
	return buf, nil
}

// honour makes user wait for what still uses the buffer's memory.
func (d *Device) honour(buf Buffer, user StreamHandle, f *fence) error {
	n, err := d.events.await(user, f)
	d.acct.mu.Lock()
	d.acct.waits += n
	d.acct.mu.Unlock()
	if err == nil {
		return nil
	}
	// The wait is not in the stream's queue: the memory goes back with its
	// fence, so that the next user waits for it.
	h := buf.b.heap
	h.mu.Lock()
	h.closing(buf.b)
	buf.b.fence = f
	h.put(buf.b)
	h.mu.Unlock()
	return fmt.Errorf("wait for the memory of %v on stream %d: %w", Bytes(buf.len), user, err)
}

// apply fills r from options.
func (r *request) apply(d *Device, opts []AllocOption) error {
	stream, pool := d.stream0, d.pool0
	for i := range opts {
		o := &opts[i]
		switch o.kind {
		case optStream:
			if o.stream == nil {
				continue // the default stream
			}
			stream = o.stream
		case optPool:
			if o.pool == nil {
				continue // the device's own pool
			}
			pool = o.pool.state
		case optTag:
			r.tag = o.tag
		case optSite:
			r.site = o.site
		case optWait:
			r.ctx = o.ctx
		}
	}
	if stream.dev != d || pool.dev != d {
		return fmt.Errorf("stream or pool of another device: %w", ErrForeignPointer)
	}
	if stream.gone.Load() {
		return fmt.Errorf("stream: %w", ErrClosed)
	}
	if pool == d.pool0 {
		r.heap = stream.heap
		return nil
	}
	if pool.gone.Load() {
		return fmt.Errorf("pool %q: %w", pool.name, ErrClosed)
	}
	r.heap = d.heapFor(pool, stream.handle())
	return nil
}

// AllocOf gives memory for n values of T.
func AllocOf[T any](d *Device, n int, opts ...AllocOption) (Buffer, error) {
	var t T
	size := int64(unsafe.Sizeof(t))
	if n < 0 || size > 0 && int64(n) > maxRequest/size {
		return Buffer{}, fmt.Errorf("allocate %d values of %d bytes: %w", n, size, ErrInvalid)
	}
	return d.allocate(1, int64(n)*size, opts)
}

// Ptr is the address of the memory. It means nothing after Close. The memory
// is not released while it is used only if the program keeps the handle: an
// address alone does not hold it.
func (b Buffer) Ptr() Ptr { return b.ptr }

// Len is the number of bytes asked for.
func (b Buffer) Len() int64 { return b.len }

// Cap is the number of bytes that are there.
func (b Buffer) Cap() int64 { return b.cap }

// ID identifies the allocation in its device's reports.
func (b Buffer) ID() uint64 { return b.id }

// Device is the device that the memory is on, nil for the zero Buffer.
func (b Buffer) Device() *Device {
	if b.b == nil {
		return nil
	}
	return b.b.heap.dev
}

// Valid reports whether the buffer is open.
func (b Buffer) Valid() bool {
	if b.b == nil {
		return false
	}
	b.b.heap.mu.Lock()
	defer b.b.heap.mu.Unlock()
	return b.open()
}

// open reports whether b is open; its heap is locked.
func (b Buffer) open() bool { return b.b.id == b.id && !b.b.closed }

// UsedOn says that work on s uses the memory too, so that it is not reused
// before that work is done. Call it after the work was given to s and before
// Close.
func (b Buffer) UsedOn(s *Stream) error {
	if b.b == nil {
		return fmt.Errorf("buffer used on a stream: %w", ErrClosed)
	}
	h := b.b.heap
	if s == nil {
		s = h.dev.stream0
	}
	if s.dev != h.dev {
		return fmt.Errorf("buffer used on a stream of another device: %w", ErrForeignPointer)
	}
	return b.UsedOnHandle(s.handle())
}

// UsedOnHandle is UsedOn for a stream that only the driver knows, such as one
// that another library in the process made.
func (b Buffer) UsedOnHandle(s StreamHandle) error {
	if b.b == nil {
		return fmt.Errorf("buffer used on a stream: %w", ErrClosed)
	}
	h := b.b.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	if !b.open() {
		return fmt.Errorf("buffer used on a stream: %w", ErrClosed)
	}
	if s != b.b.user && !slices.Contains(b.b.uses, s) {
		b.b.uses = append(b.b.uses, s)
	}
	return nil
}

// Annotate sets the tag that reports show.
func (b Buffer) Annotate(tag string) error {
	if b.b == nil {
		return fmt.Errorf("annotate buffer: %w", ErrClosed)
	}
	b.b.heap.mu.Lock()
	defer b.b.heap.mu.Unlock()
	if !b.open() {
		return fmt.Errorf("annotate buffer: %w", ErrClosed)
	}
	b.b.tag = tag
	return nil
}

// Close gives the memory back for reuse. It does not wait for the device:
// work that was given to the buffer's streams before still finds the memory.
// Open views keep the memory until they are closed.
func (b Buffer) Close() error {
	if b.b == nil {
		return fmt.Errorf("close buffer: %w", ErrClosed)
	}
	h := b.b.heap
	h.mu.Lock()
	if !b.open() {
		h.mu.Unlock()
		return fmt.Errorf("close buffer of %v at %v: %w", Bytes(b.len), b.ptr, ErrDoubleFree)
	}
	if b.keep != nil {
		b.keep.defuse()
	}
	return h.dev.release(b.b)
}

// release drops one reference to a block and frees it with the last one. Its
// heap is locked, and unlocked on return.
func (d *Device) release(b *block) error {
	h := b.heap
	if b.refs--; b.refs > 0 {
		b.closed = true
		h.mu.Unlock()
		return nil
	}
	h.closing(b)
	if len(b.uses) == 0 && b.user == h.stream && !d.noCache {
		h.put(b)
		check := h.passed
		h.passed = false
		h.mu.Unlock()
		if check {
			d.checkPeaks(h)
		}
		d.wake()
		return nil
	}
	b.state = statePending
	h.mu.Unlock()
	err := d.retire(b)
	d.wake()
	return err
}

// retire frees a block that other streams have used, or that is not cached.
// The block is pending, so nobody else touches it.
func (d *Device) retire(b *block) error {
	if d.noCache {
		return d.uncache(b)
	}
	if d.policy == PolicyPyTorch {
		return d.pend.add(d, b)
	}
	return d.fenceOff(b)
}

// fenceOff makes a block reusable at once; whoever takes it waits for the
// streams that used it.
func (d *Device) fenceOff(b *block) error {
	h := b.heap
	streams := d.running(append(b.uses, b.user))
	streams = slices.DeleteFunc(streams, func(s StreamHandle) bool { return s == h.stream })
	f, err := d.events.fenceFor(streams)
	if err != nil {
		return fmt.Errorf("close buffer of %v: %w", Bytes(b.req), errors.Join(err, d.quiesce(b, streams)))
	}
	h.mu.Lock()
	b.fence = f
	h.put(b)
	h.mu.Unlock()
	return nil
}

// quiesce is the way out where no event can be had: it waits for the streams
// and frees the block then. Where that fails too the memory stays unused,
// because nobody can say when it is safe.
func (d *Device) quiesce(b *block, streams []StreamHandle) error {
	for _, s := range streams {
		if err := d.drv.SyncStream(s); err != nil {
			return err
		}
	}
	h := b.heap
	h.mu.Lock()
	h.put(b)
	h.mu.Unlock()
	return nil
}
