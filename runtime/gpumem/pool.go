// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// PoolID names a pool in a device; 0 is the device's own.
type PoolID uint32

// poolState is what the heaps of a pool share.
type poolState struct {
	dev      *Device
	id       PoolID
	name     string
	noSplit  bool
	useOnOOM bool
	gone     atomic.Bool
	searches [2]atomic.Int64 // how often each free set was searched; ages for the collector
}

// Pool is private memory: its segments serve only allocations that name it,
// so they come and go together.
type Pool struct {
	state *poolState
	reg   uint64 // in the registry
}

// PoolOption configures NewPool.
type PoolOption func(*poolState)

// NoSplit keeps the pool's segments whole: a block is a segment.
func NoSplit() PoolOption { return func(p *poolState) { p.noSplit = true } }

// UseOnOOM lets the device take free memory of the pool rather than fail.
func UseOnOOM() PoolOption { return func(p *poolState) { p.useOnOOM = true } }

// NewPool makes a private pool. Close it when its buffers are closed.
func (d *Device) NewPool(name string, opts ...PoolOption) (*Pool, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("new pool %q on %s: %w", name, d.name, ErrClosed)
	}
	p := &poolState{dev: d, name: name}
	for _, o := range opts {
		o(p)
	}
	d.heapMu.Lock()
	p.id = PoolID(len(d.pools))
	d.pools = append(d.pools, p)
	d.heapMu.Unlock()
	reg := d.live.add(d, Record{Kind: KindPool, Pool: p.id, Tag: name}, nil)
	return &Pool{state: p, reg: reg}, nil
}

// ID names the pool in reports.
func (p *Pool) ID() PoolID { return p.state.id }

// Name is the name that the pool was made with.
func (p *Pool) Name() string { return p.state.name }

// PoolName gives the name of a pool of d, "" for the device's own.
func (d *Device) PoolName(id PoolID) string {
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	if int(id) < len(d.pools) {
		return d.pools[id].name
	}
	return ""
}

// Close gives the pool's free memory back to the driver. Buffers that are
// still open stay usable; their memory goes back when the device is trimmed
// after they are closed.
func (p *Pool) Close() error {
	s := p.state
	if s.gone.Swap(true) {
		return fmt.Errorf("close pool %q: %w", s.name, ErrClosed)
	}
	d := s.dev
	d.slow.Lock()
	_, err := d.releaseFree(func(h *heap) bool { return h.pool == s })
	d.slow.Unlock()
	if _, e := d.live.remove(d, p.reg); e != nil {
		return e
	}
	if err != nil {
		return fmt.Errorf("close pool %q: %w", s.name, err)
	}
	return nil
}

// Arena hands out parts of one buffer and takes them back all at once.
type Arena struct {
	dev *Device
	reg uint64
	buf Buffer

	mu   sync.Mutex
	next int64
	top  int64 // most that was ever in use
	gone bool
}

// NewArena makes an arena of n bytes. Close it when done.
func (d *Device) NewArena(n int64, opts ...AllocOption) (*Arena, error) {
	buf, err := d.allocate(1, n, opts)
	if err != nil {
		return nil, fmt.Errorf("new arena: %w", err)
	}
	reg := d.live.add(d, Record{Kind: KindArena, Addr: buf.ptr, Size: buf.cap, Requested: n, Parent: buf.id}, nil)
	return &Arena{dev: d, reg: reg, buf: buf}, nil
}

// Alloc gives n bytes at a multiple of 512 that stay valid until Reset or
// Close. It never asks the device; where the arena is full the error matches
// ErrOutOfMemory.
func (a *Arena) Alloc(n int64) (Ptr, error) {
	if n < 0 {
		return 0, fmt.Errorf("arena: allocate %d bytes: %w", n, ErrInvalid)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return 0, fmt.Errorf("arena: %w", ErrClosed)
	}
	size := roundUp(max(n, 1), minBlock) // so that no two parts share an address
	if size > a.buf.cap-a.next {
		return 0, fmt.Errorf("arena of %v has %v left, not %v: %w", Bytes(a.buf.cap), Bytes(a.buf.cap-a.next), Bytes(n), ErrOutOfMemory)
	}
	p := a.buf.ptr + Ptr(a.next)
	a.next += size
	a.top = max(a.top, a.next)
	return p, nil
}

// Used is the number of bytes handed out, and the most since the arena was
// made.
func (a *Arena) Used() (now, peak int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next, a.top
}

// Reset takes back everything that the arena handed out.
func (a *Arena) Reset() {
	a.mu.Lock()
	a.next = 0
	a.mu.Unlock()
}

// Close gives the arena's memory back.
func (a *Arena) Close() error {
	a.mu.Lock()
	gone := a.gone
	a.gone = true
	a.mu.Unlock()
	if gone {
		return fmt.Errorf("close arena: %w", ErrClosed)
	}
	if ok, err := a.dev.live.remove(a.dev, a.reg); !ok || err != nil {
		return err
	}
	return a.buf.Close()
}
