// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Driver drives one GPU. Every method may be called from any goroutine; one
// that has to wait for the GPU holds an operating system thread meanwhile.
type Driver struct {
	api    *api
	device int32   // CUdevice
	ctx    uintptr // the device's primary context
	info   gpumem.DeviceInfo
	grain  int64 // bytes of the smallest physical page; 0 where VMM is missing
	peers  []int32
	closed atomic.Bool

	mu    sync.Mutex
	pages map[gpumem.Ptr]int64 // mapped pages, by address
}

// Check that a Driver is what the allocator wants.
var (
	_ gpumem.Driver = (*Driver)(nil)
	_ gpumem.VMM    = (*Driver)(nil)
)

type config struct {
	library string
	peers   []int
}

// Option configures Open.
type Option func(*config)

// Library loads the driver library from path instead of the system's place.
func Library(path string) Option { return func(c *config) { c.library = path } }

// Peers makes mapped memory accessible to further devices, by ordinal. It
// applies to expandable segments, whose access is set per mapping.
func Peers(ordinals ...int) Option {
	return func(c *config) { c.peers = append(c.peers, ordinals...) }
}

// Devices lists the GPUs that this process can see.
func Devices(opts ...Option) ([]gpumem.DeviceInfo, error) {
	var c config
	for _, o := range opts {
		o(&c)
	}
	a, err := load(c.library)
	if err != nil {
		return nil, err
	}
	n, err := a.count()
	if err != nil {
		return nil, err
	}
	out := make([]gpumem.DeviceInfo, n)
	for i := range out {
		if _, out[i], err = a.describe(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Open starts to use the GPU with the given ordinal, counted from 0 among the
// visible ones. Close it when its gpumem.Device is closed.
func Open(ordinal int, opts ...Option) (*Driver, error) {
	var c config
	for _, o := range opts {
		o(&c)
	}
	a, err := load(c.library)
	if err != nil {
		return nil, err
	}
	n, err := a.count()
	if err != nil {
		return nil, err
	}
	d := &Driver{api: a, pages: map[gpumem.Ptr]int64{}}
	for _, peer := range append([]int{ordinal}, c.peers...) {
		if peer < 0 || peer >= n {
			return nil, fmt.Errorf("CUDA driver: no device %d; %d are visible to this process", peer, n)
		}
		dev, info, err := a.describe(peer)
		if err != nil {
			return nil, err
		}
		d.peers = append(d.peers, dev)
		if peer == ordinal {
			d.device, d.info = dev, info
		}
	}
	if r, _, _ := purego.SyscallN(a.primaryCtxRetain, uintptr(unsafe.Pointer(&d.ctx)), uintptr(d.device)); int32(r) != success {
		return nil, fmt.Errorf("CUDA driver: device %d: %w", ordinal, a.failure("cuDevicePrimaryCtxRetain", int32(r)))
	}
	if d.grain, err = d.granularity(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (a *api) count() (int, error) {
	var n int32
	if r, _, _ := purego.SyscallN(a.deviceGetCount, uintptr(unsafe.Pointer(&n))); int32(r) != success {
		return 0, fmt.Errorf("CUDA driver: %w", a.failure("cuDeviceGetCount", int32(r)))
	}
	return int(n), nil
}

// describe asks what there is to know about a device before it has a context.
func (a *api) describe(ordinal int) (dev int32, info gpumem.DeviceInfo, err error) {
	var name [maxNameBytes]byte
	var uuid [uuidBytes]byte
	var total uint64
	r, _, _ := purego.SyscallN(a.deviceGet, uintptr(unsafe.Pointer(&dev)), uintptr(ordinal))
	call := "cuDeviceGet"
	if int32(r) == success {
		call = "cuDeviceGetName"
		r, _, _ = purego.SyscallN(a.deviceGetName, uintptr(unsafe.Pointer(&name[0])), maxNameBytes-1, uintptr(dev))
	}
	if int32(r) == success {
		call = "cuDeviceGetUuid"
		r, _, _ = purego.SyscallN(a.deviceGetUuid, uintptr(unsafe.Pointer(&uuid[0])), uintptr(dev))
	}
	if int32(r) == success {
		call = "cuDeviceTotalMem"
		r, _, _ = purego.SyscallN(a.deviceTotalMem, uintptr(unsafe.Pointer(&total)), uintptr(dev))
	}
	if int32(r) != success {
		return 0, info, fmt.Errorf("CUDA driver: device %d: %w", ordinal, a.failure(call, int32(r)))
	}
	return dev, gpumem.DeviceInfo{Ordinal: ordinal, Name: cString(&name[0]), Total: int64(total),
		UUID: fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])}, nil
}

// call runs a driver function with the device's context current, and puts back
// the context that the thread had. Pointers in args stay alive and in place.
//
//go:uintptrescapes
func (d *Driver) call(name string, fn uintptr, args ...uintptr) error {
	if d.closed.Load() {
		return fmt.Errorf("%s: %w", name, gpumem.ErrClosed)
	}
	if code := d.code(fn, args...); code != success {
		return d.api.failure(name, code)
	}
	return nil
}

// scratch is what one call needs besides its arguments. It is pooled: the
// library writes to it, so it must not lie on a stack that can move.
type scratch struct {
	prior uintptr // the context found on the thread
	arg   [1]uintptr
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// code is call for a function whose result code is not just good or bad.
//
//go:uintptrescapes
func (d *Driver) code(fn uintptr, args ...uintptr) int32 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s.arg[0] = uintptr(unsafe.Pointer(&s.prior))
	if r, _, _ := purego.SyscallN(d.api.ctxGetCurrent, s.arg[:]...); int32(r) != success {
		return int32(r)
	}
	if s.prior == d.ctx {
		r, _, _ := purego.SyscallN(fn, args...)
		return int32(r)
	}
	s.arg[0] = d.ctx
	if r, _, _ := purego.SyscallN(d.api.ctxSetCurrent, s.arg[:]...); int32(r) != success {
		return int32(r)
	}
	r, _, _ := purego.SyscallN(fn, args...)
	// A thread without a context means device 0 to every library that uses
	// CUDA's runtime, so device 0 may stay and the next call is cheaper.
	if s.prior != 0 || d.info.Ordinal != 0 {
		s.arg[0] = s.prior
		purego.SyscallN(d.api.ctxSetCurrent, s.arg[:]...)
	}
	return int32(r)
}

// Info gives what is known of the device; it makes no driver call.
func (d *Driver) Info() (gpumem.DeviceInfo, error) { return d.info, nil }

// MemInfo gives the bytes free on the device for every process, and the total.
func (d *Driver) MemInfo() (free, total int64, err error) {
	var f, t uint64
	err = d.call("cuMemGetInfo", d.api.memGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int64(f), int64(t), err
}

// Alloc gives a segment of n bytes.
func (d *Driver) Alloc(n int64) (gpumem.Ptr, error) {
	var p gpumem.Ptr
	err := d.call("cuMemAlloc", d.api.memAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	return p, err
}

// Free gives a segment back. CUDA waits for the work that uses it.
func (d *Driver) Free(p gpumem.Ptr) error {
	return d.releasing("cuMemFree", d.api.memFree, uintptr(p))
}

// releasing is call for functions that give something back: when the process
// is ending the driver is gone, and what it held with it.
func (d *Driver) releasing(name string, fn uintptr, args ...uintptr) error {
	if d.closed.Load() {
		return fmt.Errorf("%s: %w", name, gpumem.ErrClosed)
	}
	switch code := d.code(fn, args...); code {
	case success, deinitialized, contextIsGone:
		return nil
	default:
		return d.api.failure(name, code)
	}
}

// Close gives up the device's context. CUDA ends it with its last user, and
// whatever was not freed with it.
func (d *Driver) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	r, _, _ := purego.SyscallN(d.api.primaryCtxRelease, uintptr(d.device))
	switch code := int32(r); code {
	case success, deinitialized, contextIsGone:
		return nil
	default:
		return d.api.failure("cuDevicePrimaryCtxRelease", code)
	}
}

// CopyIn copies src to device memory and returns when it is there.
func (d *Driver) CopyIn(dst gpumem.Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return d.call("cuMemcpyHtoD", d.api.memcpyHtoD, uintptr(dst), uintptr(unsafe.Pointer(&src[0])), uintptr(len(src)))
}

// CopyOut copies device memory to dst and returns when it is there. It waits
// for the work on the default stream, not for that on others.
func (d *Driver) CopyOut(dst []byte, src gpumem.Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return d.call("cuMemcpyDtoH", d.api.memcpyDtoH, uintptr(unsafe.Pointer(&dst[0])), uintptr(src), uintptr(len(dst)))
}

// Fill queues on stream s the filling of n bytes of device memory with v.
func (d *Driver) Fill(p gpumem.Ptr, v byte, n int64, s gpumem.StreamHandle) error {
	return d.call("cuMemsetD8Async", d.api.memsetD8Async, uintptr(p), uintptr(v), uintptr(n), uintptr(s))
}
