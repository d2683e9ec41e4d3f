// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"fmt"
	"unsafe"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Host hands out page-locked memory of the host, which a GPU copies from and to
// without a detour. A gpumem.Device on it caches that memory, as pinning takes
// long, and reuses it in stream order, so that a buffer may be closed while a
// copy is still under way; see gpumem.Buffer.UsedOn.
//
// It is no managed memory: the GPU does not move it.
type Host struct {
	gpu  *Driver
	info gpumem.DeviceInfo
}

var _ gpumem.Driver = (*Host)(nil)

// OpenHost opens the host's memory through the GPU with the given ordinal; the
// memory is pinned for all GPUs. Close it when its gpumem.Device is closed.
func OpenHost(ordinal int, opts ...Option) (*Host, error) {
	gpu, err := Open(ordinal, opts...)
	if err != nil {
		return nil, err
	}
	h := &Host{gpu: gpu, info: gpu.info}
	h.info.Name = "pinned memory of the host"
	h.info.UUID = "HOST" // one for the machine, whatever the GPU
	_, h.info.Total = hostMemory()
	return h, nil
}

// Info describes the host's memory.
func (h *Host) Info() (gpumem.DeviceInfo, error) { return h.info, nil }

// MemInfo gives what the system says is available, and the total.
func (h *Host) MemInfo() (free, total int64, err error) {
	if h.gpu.closed.Load() {
		return 0, 0, fmt.Errorf("host memory: %w", gpumem.ErrClosed)
	}
	free, total = hostMemory()
	return free, total, nil
}

// Alloc pins n bytes.
func (h *Host) Alloc(n int64) (gpumem.Ptr, error) {
	var p gpumem.Ptr
	err := h.gpu.call("cuMemHostAlloc", h.gpu.api.memHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n), portable)
	return p, err
}

// Free gives pinned memory back. CUDA waits for the copies that use it.
func (h *Host) Free(p gpumem.Ptr) error {
	return h.gpu.releasing("cuMemFreeHost", h.gpu.api.memFreeHost, uintptr(p))
}

// Bytes is the memory of a buffer of a device on this driver. It is not Go's:
// it is gone when the buffer is closed, whoever still has the slice.
func (h *Host) Bytes(b gpumem.Buffer) []byte {
	if b.Len() == 0 || !b.Valid() {
		return nil
	}
	p := b.Ptr()
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), b.Len())
}

// CopyIn writes src to pinned memory.
func (h *Host) CopyIn(dst gpumem.Ptr, src []byte) error {
	if h.gpu.closed.Load() {
		return fmt.Errorf("copy: %w", gpumem.ErrClosed)
	}
	if len(src) > 0 {
		copy(unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&dst))), len(src)), src)
	}
	return nil
}

// CopyOut reads pinned memory.
func (h *Host) CopyOut(dst []byte, src gpumem.Ptr) error {
	if h.gpu.closed.Load() {
		return fmt.Errorf("copy: %w", gpumem.ErrClosed)
	}
	if len(dst) > 0 {
		copy(dst, unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&src))), len(dst)))
	}
	return nil
}

// Streams and events are the GPU's.

// NewStream creates a stream of the GPU.
func (h *Host) NewStream() (gpumem.StreamHandle, error) { return h.gpu.NewStream() }

// DestroyStream ends a stream.
func (h *Host) DestroyStream(s gpumem.StreamHandle) error { return h.gpu.DestroyStream(s) }

// SyncStream waits for a stream.
func (h *Host) SyncStream(s gpumem.StreamHandle) error { return h.gpu.SyncStream(s) }

// NewEvent creates an event.
func (h *Host) NewEvent() (gpumem.EventHandle, error) { return h.gpu.NewEvent() }

// DestroyEvent gives an event back.
func (h *Host) DestroyEvent(e gpumem.EventHandle) error { return h.gpu.DestroyEvent(e) }

// Record marks in e the work queued on s so far.
func (h *Host) Record(e gpumem.EventHandle, s gpumem.StreamHandle) error { return h.gpu.Record(e, s) }

// Wait makes later work on s wait for e.
func (h *Host) Wait(s gpumem.StreamHandle, e gpumem.EventHandle) error { return h.gpu.Wait(s, e) }

// Query reports whether the work marked in e is done.
func (h *Host) Query(e gpumem.EventHandle) (bool, error) { return h.gpu.Query(e) }

// SyncEvent waits for the work marked in e.
func (h *Host) SyncEvent(e gpumem.EventHandle) error { return h.gpu.SyncEvent(e) }

// Close gives up the GPU's context.
func (h *Host) Close() error { return h.gpu.Close() }
