// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "fmt"

// Ptr is an address in device memory. The zero Ptr is no memory.
type Ptr uint64

// String gives the address in hexadecimal.
func (p Ptr) String() string { return fmt.Sprintf("%#x", uint64(p)) }

// StreamHandle is the driver's name of a stream; 0 is the default stream.
type StreamHandle uint64

// EventHandle is the driver's name of an event; 0 is no event.
type EventHandle uint64

// DeviceInfo says which device a driver drives.
type DeviceInfo struct {
	Ordinal int    // index among the driver's devices
	Name    string // marketing name, such as "NVIDIA H200"
	UUID    string // identity that survives reordering; the key for metrics
	Total   int64  // bytes of device memory
}

// Driver is what the allocator needs of a device. Every method may be called
// from any goroutine. Sizes are in bytes.
//
// A method that finds no memory returns an error for which
// errors.Is(err, ErrOutOfMemory) holds; any other error is taken as a broken
// device and is never retried.
type Driver interface {
	Info() (DeviceInfo, error)
	// MemInfo gives the bytes free on the device now, for all processes, and
	// the total.
	MemInfo() (free, total int64, err error)

	// Alloc gives a segment of n bytes, aligned to 512 bytes or better.
	Alloc(n int64) (Ptr, error)
	// Free gives back a segment that Alloc gave. It waits for the work that
	// still uses it.
	Free(p Ptr) error

	NewStream() (StreamHandle, error)
	DestroyStream(StreamHandle) error
	SyncStream(StreamHandle) error

	NewEvent() (EventHandle, error)
	DestroyEvent(EventHandle) error
	// Record marks in e the work that s has been given so far.
	Record(e EventHandle, s StreamHandle) error
	// Wait makes the work given to s from now on wait for e. It does not
	// block the caller.
	Wait(s StreamHandle, e EventHandle) error
	// Query reports whether the work that e marks is done.
	Query(e EventHandle) (bool, error)
	// SyncEvent blocks until the work that e marks is done.
	SyncEvent(e EventHandle) error

	// Close releases what the driver itself holds.
	Close() error
}

// VMM is implemented by drivers that map physical memory into reserved
// address ranges. Reserved ranges and mapped ranges are multiples of
// Granularity.
type VMM interface {
	// Granularity is the smallest page in bytes, 2 MiB on CUDA.
	Granularity() int64
	// Reserve gives an address range without memory behind it.
	Reserve(n int64) (Ptr, error)
	// Release gives a range back that Reserve gave; nothing in it is mapped.
	Release(p Ptr, n int64) error
	// Map puts memory behind [p, p+n) in pages of page bytes and makes it
	// readable and writable. It maps all of the range or nothing.
	Map(p Ptr, n, page int64) error
	// Unmap takes the memory behind [p, p+n) away again; the range covers
	// whole pages of earlier Map calls. The caller has synchronised.
	Unmap(p Ptr, n int64) error
}

// Copier is implemented by drivers that copy between host and device; see
// [Buffer.Offload]. Both calls return when the copy is done.
type Copier interface {
	CopyIn(dst Ptr, src []byte) error
	// CopyOut waits for the work on the default stream, and need not for that
	// on others.
	CopyOut(dst []byte, src Ptr) error
}

// BlockWatcher is implemented by drivers that check how memory is reused; the
// simulated device reports a block that passes from one stream to another
// without a wait. The allocator tells it when a block starts and ends a life;
// its locks may be held then, so the watcher must not call it.
type BlockWatcher interface {
	// WatchBlocks says whether the driver wants to be told. It is asked once.
	WatchBlocks() bool
	BlockAlloc(id uint64, p Ptr, n int64, s StreamHandle)
	// BlockFree names in uses the further streams that the block was used on.
	BlockFree(id uint64, p Ptr, n int64, s StreamHandle, uses []StreamHandle)
}
