// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// api has the address of every driver function that is used, under its name
// without the cu. They are looked up once a library.
type api struct {
	initialize, getErrorName, getErrorString                                  uintptr
	deviceGetCount, deviceGet, deviceGetName, deviceGetUuid, deviceTotalMem   uintptr
	primaryCtxRetain, primaryCtxRelease, ctxGetCurrent, ctxSetCurrent         uintptr
	memGetInfo, memAlloc, memFree, memcpyHtoD, memcpyDtoH, memsetD8Async      uintptr
	streamCreate, streamDestroy, streamSynchronize, streamWaitEvent           uintptr
	eventCreate, eventDestroy, eventRecord, eventQuery, eventSynchronize      uintptr
	allocationGranularity, addressReserve, addressFree, memCreate, memRelease uintptr
	memMap, memUnmap, memSetAccess, deviceGetAttribute                        uintptr
	memHostAlloc, memFreeHost                                                 uintptr
}

// symbols pairs each function's field with its name in the library. The _v2
// names are the ones that take 64-bit sizes.
func (a *api) symbols() map[string]*uintptr {
	return map[string]*uintptr{
		"cuInit": &a.initialize, "cuGetErrorName": &a.getErrorName, "cuGetErrorString": &a.getErrorString,
		"cuDeviceGetCount": &a.deviceGetCount, "cuDeviceGet": &a.deviceGet, "cuDeviceGetName": &a.deviceGetName,
		"cuDeviceGetUuid_v2": &a.deviceGetUuid, "cuDeviceTotalMem_v2": &a.deviceTotalMem, "cuDeviceGetAttribute": &a.deviceGetAttribute,
		"cuDevicePrimaryCtxRetain": &a.primaryCtxRetain, "cuDevicePrimaryCtxRelease_v2": &a.primaryCtxRelease,
		"cuCtxGetCurrent": &a.ctxGetCurrent, "cuCtxSetCurrent": &a.ctxSetCurrent,
		"cuMemGetInfo_v2": &a.memGetInfo, "cuMemAlloc_v2": &a.memAlloc, "cuMemFree_v2": &a.memFree,
		"cuMemcpyHtoD_v2": &a.memcpyHtoD, "cuMemcpyDtoH_v2": &a.memcpyDtoH, "cuMemsetD8Async": &a.memsetD8Async,
		"cuStreamCreate": &a.streamCreate, "cuStreamDestroy_v2": &a.streamDestroy,
		"cuStreamSynchronize": &a.streamSynchronize, "cuStreamWaitEvent": &a.streamWaitEvent,
		"cuEventCreate": &a.eventCreate, "cuEventDestroy_v2": &a.eventDestroy, "cuEventRecord": &a.eventRecord,
		"cuEventQuery": &a.eventQuery, "cuEventSynchronize": &a.eventSynchronize,
		"cuMemGetAllocationGranularity": &a.allocationGranularity, "cuMemAddressReserve": &a.addressReserve,
		"cuMemAddressFree": &a.addressFree, "cuMemCreate": &a.memCreate, "cuMemRelease": &a.memRelease,
		"cuMemMap": &a.memMap, "cuMemUnmap": &a.memUnmap, "cuMemSetAccess": &a.memSetAccess,
		"cuMemHostAlloc": &a.memHostAlloc, "cuMemFreeHost": &a.memFreeHost,
	}
}

// libraries holds what has been loaded, by path. The driver can't be unloaded
// and loaded again, so a library stays for the life of the process; a failure
// is not kept, since the driver may be installed meanwhile.
var libraries = struct {
	sync.Mutex
	loaded map[string]*api
}{loaded: map[string]*api{}}

// load opens the library at path, or the system's where path is empty, and
// initialises it.
func load(path string) (*api, error) {
	libraries.Lock()
	defer libraries.Unlock()
	if a := libraries.loaded[path]; a != nil {
		return a, nil
	}
	handle, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	a := &api{}
	symbols := a.symbols()
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		p, err := symbol(handle, name)
		if err != nil || p == 0 {
			return nil, fmt.Errorf("CUDA driver: it has no function %s; a driver of CUDA 11.4 or later is needed", name)
		}
		*symbols[name] = p
	}
	if r, _, _ := purego.SyscallN(a.initialize, 0); int32(r) != success {
		return nil, fmt.Errorf("CUDA driver: %w; is a GPU visible to this process (nvidia-smi, CUDA_VISIBLE_DEVICES)?", a.failure("cuInit", int32(r)))
	}
	libraries.loaded[path] = a
	return a, nil
}

// Result codes that mean something here.
const (
	success        = 0
	outOfMemory    = 2
	deinitialized  = 4
	contextIsGone  = 709
	notReady       = 600
	uuidBytes      = 16
	maxNameBytes   = 256
	vmmSupported   = 102 // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
	noTiming       = 2   // CU_EVENT_DISABLE_TIMING
	nonBlocking    = 1   // CU_STREAM_NON_BLOCKING
	pinnedMemory   = 1   // CU_MEM_ALLOCATION_TYPE_PINNED
	onDevice       = 1   // CU_MEM_LOCATION_TYPE_DEVICE
	readWrite      = 3   // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	portable       = 1   // CU_MEMHOSTALLOC_PORTABLE
	minGranularity = 0   // CU_MEM_ALLOC_GRANULARITY_MINIMUM
)

// failure makes the error of a call that returned code.
func (a *api) failure(call string, code int32) error {
	e := &Error{Call: call, Code: int(code), Name: "CUDA_ERROR_UNKNOWN"}
	var text *byte // set to a constant string inside the library
	if r, _, _ := purego.SyscallN(a.getErrorName, uintptr(code), uintptr(unsafe.Pointer(&text))); int32(r) == success && text != nil {
		e.Name = cString(text)
	}
	text = nil
	if r, _, _ := purego.SyscallN(a.getErrorString, uintptr(code), uintptr(unsafe.Pointer(&text))); int32(r) == success && text != nil {
		e.Text = cString(text)
	}
	return e
}

// cString copies a zero-terminated string out of the library.
func cString(p *byte) string {
	n := 0
	for n < 1<<12 && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
