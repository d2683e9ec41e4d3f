// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"fmt"
	"sync"
)

// Offloaded is a buffer's content in host memory. The device's memory that it
// had is free meanwhile. Its methods may be called from any goroutine.
type Offloaded struct {
	dev  *Device
	site SiteID
	tag  string

	mu   sync.Mutex
	data []byte
	gone bool
}

// Offload moves the buffer's content to host memory and closes the buffer; the
// content comes back with [Offloaded.Restore]. It waits for the work on the
// streams that use the buffer. The driver must be a [Copier]. Where it fails
// the buffer is as it was.
//
// The host copy is ordinary Go memory, in all of Stats.Offloaded bytes.
func (b Buffer) Offload() (*Offloaded, error) {
	if b.b == nil {
		return nil, fmt.Errorf("offload buffer: %w", ErrClosed)
	}
	h := b.b.heap
	d := h.dev
	c, ok := d.drv.(Copier)
	if !ok {
		return nil, fmt.Errorf("offload buffer: the driver of %s cannot copy: %w", d.name, errors.ErrUnsupported)
	}
	h.mu.Lock()
	if !b.open() {
		h.mu.Unlock()
		return nil, fmt.Errorf("offload buffer: %w", ErrClosed)
	}
	if b.b.refs > 1 {
		h.mu.Unlock() // the views would keep the memory, and see the old content
		return nil, fmt.Errorf("offload buffer: it has open views: %w", ErrInvalid)
	}
	streams := append([]StreamHandle{b.b.user}, b.b.uses...)
	o := &Offloaded{dev: d, site: b.b.site, tag: b.b.tag, data: make([]byte, b.len)}
	h.mu.Unlock()
	for _, s := range streams {
		if err := d.drv.SyncStream(s); err != nil {
			return nil, fmt.Errorf("offload %v from %s: %w", Bytes(b.len), d.name, err)
		}
	}
	if err := c.CopyOut(o.data, b.ptr); err != nil {
		return nil, fmt.Errorf("offload %v from %s: %w", Bytes(b.len), d.name, err)
	}
	if err := b.Close(); err != nil {
		return nil, fmt.Errorf("offload %v from %s: %w", Bytes(b.len), d.name, err)
	}
	d.acct.offload(b.len)
	return o, nil
}

// Restore allocates a buffer with the content that was moved away and drops the
// host copy. Without options the buffer has the tag and the call site of the
// one that was offloaded. Where there is no memory the copy stays.
func (o *Offloaded) Restore(opts ...AllocOption) (Buffer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone {
		return Buffer{}, fmt.Errorf("restore buffer: %w", ErrClosed)
	}
	d := o.dev
	all := append([]AllocOption{Tag(o.tag), At(o.site)}, opts...)
	b, err := d.allocate(1, int64(len(o.data)), all)
	if err != nil {
		return Buffer{}, fmt.Errorf("restore %v: %w", Bytes(len(o.data)), err)
	}
	// Offload has seen to it that the driver copies.
	if err := d.drv.(Copier).CopyIn(b.ptr, o.data); err != nil {
		return Buffer{}, errors.Join(fmt.Errorf("restore %v to %s: %w", Bytes(len(o.data)), d.name, err), b.Close())
	}
	o.drop()
	return b, nil
}

// Len is the number of bytes that were moved away.
func (o *Offloaded) Len() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(len(o.data))
}

// Close drops the content.
func (o *Offloaded) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone {
		return fmt.Errorf("close offloaded buffer: %w", ErrClosed)
	}
	o.drop()
	return nil
}

// drop gives the host memory up; mu is held.
func (o *Offloaded) drop() {
	o.dev.acct.offload(-int64(len(o.data)))
	o.data, o.gone = nil, true
}
