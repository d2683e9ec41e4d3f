// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// DefaultCapacity is the memory of a device whose Config names none: that of
// an H200.
const DefaultCapacity = int64(150_110_011_392)

// base is where segments start: addresses look like CUDA's and stay below
// 2^53, so that viewers written in JavaScript can hold them.
const base = gpumem.Ptr(0x7f00_0000_0000)

// vmmBase is where reserved ranges start, apart from the segments.
const vmmBase = gpumem.Ptr(0x3_0000_0000)

// ErrClosed is returned by every call after Close.
var ErrClosed = errors.New("simulated device is closed")

// Config describes a simulated device. The zero value is an H200 at rest.
type Config struct {
	Capacity int64 // bytes; 0 is DefaultCapacity
	Ordinal  int
	Name     string // "" is "simulated GPU"
	UUID     string // "" is derived from the ordinal
	// Foreign is what other processes use of the capacity, in bytes.
	Foreign int64
	// Contiguous makes a segment need one run of physical memory, as on
	// devices without paging: then the device itself can be fragmented.
	Contiguous bool
	// NoRaceCheck switches the happens-before check off, which costs a
	// microsecond for each buffer.
	NoRaceCheck bool
	// Latency is what calls cost on the virtual clock; nil is free.
	Latency *Latency
}

// Device is a simulated device. It implements gpumem.Driver, gpumem.VMM,
// gpumem.Copier and gpumem.BlockWatcher. All methods may be called from any goroutine.
type Device struct {
	cfg Config

	mu       sync.Mutex
	closed   bool
	used     int64 // physical bytes in use
	space    space // segments by address
	physical space // where they lie, if memory is contiguous
	homes    map[gpumem.Ptr]gpumem.Ptr
	ranges   map[gpumem.Ptr]*reservation
	nextVA   gpumem.Ptr
	streams  map[gpumem.StreamHandle]*stream
	events   map[gpumem.EventHandle]*event
	handles  uint64
	host     clock         // what the host knows to be done
	now      time.Duration // virtual time
	calls    [numOps]int64
	faults   []fault
	hooks    []func(Op, int64) error
	uses     []use
	races    []Race
	content  map[gpumem.Ptr]*[contentPage]byte // by address / contentPage
}

// New makes a simulated device.
func New(cfg Config) *Device {
	if cfg.Capacity == 0 {
		cfg.Capacity = DefaultCapacity
	}
	if cfg.Name == "" {
		cfg.Name = "simulated GPU"
	}
	if cfg.UUID == "" {
		cfg.UUID = fmt.Sprintf("GPU-51300000-0000-0000-0000-%012d", cfg.Ordinal)
	}
	d := &Device{cfg: cfg, ranges: map[gpumem.Ptr]*reservation{}, homes: map[gpumem.Ptr]gpumem.Ptr{},
		streams: map[gpumem.StreamHandle]*stream{0: {clock: clock{}}}, events: map[gpumem.EventHandle]*event{},
		host: clock{}, nextVA: vmmBase, content: map[gpumem.Ptr]*[contentPage]byte{}}
	// Addresses are plenty, as on a real device; only physical memory is not.
	d.space.init(base, 64*cfg.Capacity)
	d.physical.init(0, cfg.Capacity)
	return d
}

// Info describes the device.
func (d *Device) Info() (gpumem.DeviceInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpInfo, 0); err != nil {
		return gpumem.DeviceInfo{}, err
	}
	return gpumem.DeviceInfo{Ordinal: d.cfg.Ordinal, Name: d.cfg.Name, UUID: d.cfg.UUID, Total: d.cfg.Capacity}, nil
}

// MemInfo gives the free and total bytes.
func (d *Device) MemInfo() (free, total int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpMemInfo, 0); err != nil {
		return 0, 0, err
	}
	return d.cfg.Capacity - d.cfg.Foreign - d.used, d.cfg.Capacity, nil
}

// SetForeign changes what other processes use, in bytes.
func (d *Device) SetForeign(n int64) {
	d.mu.Lock()
	d.cfg.Foreign = n
	d.mu.Unlock()
}

// Used is the physical memory in use, in bytes.
func (d *Device) Used() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used
}

// pageSize is what physical memory is given out in.
const pageSize = int64(2) << 20

// Alloc gives a segment. Its physical memory is whole pages of 2 MiB.
func (d *Device) Alloc(n int64) (gpumem.Ptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpAlloc, n); err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, fmt.Errorf("simulated device: allocate %d bytes: %w", n, gpumem.ErrInvalid)
	}
	size := (n + pageSize - 1) / pageSize * pageSize
	if d.used+size > d.cfg.Capacity-d.cfg.Foreign {
		return 0, fmt.Errorf("simulated device: %v free, %v asked: %w",
			gpumem.Bytes(d.cfg.Capacity-d.cfg.Foreign-d.used), gpumem.Bytes(n), gpumem.ErrOutOfMemory)
	}
	home, ok := gpumem.Ptr(0), true
	if d.cfg.Contiguous {
		if home, ok = d.physical.take(size); !ok {
			return 0, fmt.Errorf("simulated device: largest free run is %v, %v asked: %w",
				gpumem.Bytes(d.physical.largest()), gpumem.Bytes(n), gpumem.ErrOutOfMemory)
		}
	}
	p, ok := d.space.take(size)
	if !ok {
		return 0, fmt.Errorf("simulated device: no addresses for %v: %w", gpumem.Bytes(n), gpumem.ErrOutOfMemory)
	}
	if d.cfg.Contiguous {
		d.homes[p] = home
	}
	d.used += size
	return p, nil
}

// Free gives a segment back once all streams are done with their work.
func (d *Device) Free(p gpumem.Ptr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpFree, 0); err != nil {
		return err
	}
	size, ok := d.space.give(p)
	if !ok {
		return fmt.Errorf("simulated device: free %v: %w", p, gpumem.ErrForeignPointer)
	}
	if d.cfg.Contiguous {
		d.physical.give(d.homes[p])
		delete(d.homes, p)
	}
	d.used -= size
	d.syncDevice()
	d.forget(p, size)
	d.erase(p, size)
	return nil
}

// Close ends the device. Memory that is still allocated is an error.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.closed = true
	if d.used != 0 {
		return fmt.Errorf("simulated device closed with %v in use: %w", gpumem.Bytes(d.used), gpumem.ErrLeak)
	}
	return nil
}

// newHandle gives a number that was not used yet.
func (d *Device) newHandle() uint64 {
	d.handles++
	return d.handles
}
