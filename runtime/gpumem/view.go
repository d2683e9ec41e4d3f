// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"sync/atomic"
)

// View is a part of a buffer that keeps all of the buffer's memory until it is
// closed, even where the buffer itself is closed before. A small view of a
// large buffer is therefore a large thing.
type View struct {
	parent Buffer
	id     uint64
	ptr    Ptr
	len    int64
	gone   atomic.Bool
}

// View gives the n bytes from off on.
func (b Buffer) View(off, n int64) (*View, error) {
	if b.b == nil {
		return nil, fmt.Errorf("view buffer: %w", ErrClosed)
	}
	if off < 0 || n < 0 || off > b.len-n {
		return nil, fmt.Errorf("view [%d, %d) of a buffer of %d bytes: %w", off, off+n, b.len, ErrInvalid)
	}
	h := b.b.heap
	h.mu.Lock()
	if !b.open() {
		h.mu.Unlock()
		return nil, fmt.Errorf("view buffer: %w", ErrClosed)
	}
	b.b.refs++
	tag := b.b.tag
	h.mu.Unlock()
	v := &View{parent: b, ptr: b.ptr + Ptr(off), len: n}
	v.id = h.dev.live.add(h.dev, Record{Kind: KindView, Addr: v.ptr, Size: b.cap, Requested: n,
		Stream: h.stream, Pool: h.pool.id, Tag: tag, Parent: b.id}, nil)
	return v, nil
}

// Ptr is the address of the view's first byte.
func (v *View) Ptr() Ptr { return v.ptr }

// Len is the number of bytes in view.
func (v *View) Len() int64 { return v.len }

// Close gives up the view's claim on the memory.
func (v *View) Close() error {
	if v.gone.Swap(true) {
		return fmt.Errorf("close view: %w", ErrClosed)
	}
	b, h := v.parent.b, v.parent.b.heap
	if ok, err := h.dev.live.remove(h.dev, v.id); !ok || err != nil {
		return err
	}
	h.mu.Lock()
	if b.id != v.parent.id {
		h.mu.Unlock()
		return nil // the device was closed and took the memory back
	}
	if b.refs > 1 { // the buffer or another view keeps the memory
		b.refs--
		h.mu.Unlock()
		return nil
	}
	return h.dev.release(b)
}
