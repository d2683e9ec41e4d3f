// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"fmt"
	"unsafe"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// location says on which device memory lies or is used.
type location struct{ kind, id int32 }

// allocationProp has the layout of CUmemAllocationProp: 32 bytes.
type allocationProp struct {
	kind, handleTypes int32
	at                location
	win32             uintptr
	flags             [8]byte
}

// accessDesc has the layout of CUmemAccessDesc: 12 bytes.
type accessDesc struct {
	at    location
	flags int32
}

func (d *Driver) prop() *allocationProp {
	return &allocationProp{kind: pinnedMemory, at: location{onDevice, d.device}}
}

// granularity asks for the smallest page; 0 where the device has no virtual
// memory management.
func (d *Driver) granularity() (int64, error) {
	var has int32
	if err := d.call("cuDeviceGetAttribute", d.api.deviceGetAttribute, uintptr(unsafe.Pointer(&has)), vmmSupported, uintptr(d.device)); err != nil {
		return 0, err
	}
	if has == 0 {
		return 0, nil
	}
	var n uint64
	err := d.call("cuMemGetAllocationGranularity", d.api.allocationGranularity, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(d.prop())), minGranularity)
	return int64(n), err
}

// Granularity is the smallest page in bytes: 2 MiB so far, and 0 on a device
// without virtual memory management.
func (d *Driver) Granularity() int64 { return d.grain }

// Reserve gives an address range of n bytes without memory behind it.
func (d *Driver) Reserve(n int64) (gpumem.Ptr, error) {
	if err := d.aligned("reserve", 0, n, d.grain); err != nil {
		return 0, err
	}
	var p gpumem.Ptr
	err := d.call("cuMemAddressReserve", d.api.addressReserve, uintptr(unsafe.Pointer(&p)), uintptr(n), 0, 0, 0)
	return p, err
}

// Release gives an address range back. Nothing in it is mapped.
func (d *Driver) Release(p gpumem.Ptr, n int64) error {
	return d.releasing("cuMemAddressFree", d.api.addressFree, uintptr(p), uintptr(n))
}

// Map puts memory behind [p, p+n), in pages of page bytes, for this device and
// its peers. Where a page can't be had it takes back those it mapped.
func (d *Driver) Map(p gpumem.Ptr, n, page int64) error {
	if err := d.aligned("map", p, n, page); err != nil {
		return err
	}
	for at := p; at < p+gpumem.Ptr(n); at += gpumem.Ptr(page) {
		if err := d.mapPage(at, page); err != nil {
			return both(err, d.Unmap(p, d.mappedFrom(p, n)))
		}
	}
	access := make([]accessDesc, len(d.peers))
	for i, dev := range d.peers {
		access[i] = accessDesc{location{onDevice, dev}, readWrite}
	}
	if err := d.call("cuMemSetAccess", d.api.memSetAccess, uintptr(p), uintptr(n), uintptr(unsafe.Pointer(&access[0])), uintptr(len(access))); err != nil {
		return both(err, d.Unmap(p, n))
	}
	return nil
}

// mappedFrom gives the bytes mapped without a gap from p on, at most n.
func (d *Driver) mappedFrom(p gpumem.Ptr, n int64) (done int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for done < n && d.pages[p+gpumem.Ptr(done)] != 0 {
		done += d.pages[p+gpumem.Ptr(done)]
	}
	return done
}

// mapPage makes one page of memory and maps it. The handle is released at
// once: the mapping keeps the memory until it is unmapped.
func (d *Driver) mapPage(at gpumem.Ptr, page int64) error {
	var handle uint64
	if err := d.call("cuMemCreate", d.api.memCreate, uintptr(unsafe.Pointer(&handle)), uintptr(page), uintptr(unsafe.Pointer(d.prop())), 0); err != nil {
		return err
	}
	mapped := d.call("cuMemMap", d.api.memMap, uintptr(at), uintptr(page), 0, uintptr(handle), 0)
	if mapped == nil {
		d.mu.Lock()
		d.pages[at] = page
		d.mu.Unlock()
	}
	return both(mapped, d.releasing("cuMemRelease", d.api.memRelease, uintptr(handle)))
}

// Unmap takes the memory behind [p, p+n) away, which frees it. CUDA unmaps a
// mapping as a whole, so the range must begin and end with pages of Map.
func (d *Driver) Unmap(p gpumem.Ptr, n int64) error {
	d.mu.Lock()
	var pages []gpumem.Ptr
	sizes := map[gpumem.Ptr]int64{}
	at := p
	for at < p+gpumem.Ptr(n) {
		size, ok := d.pages[at]
		if !ok {
			break
		}
		pages, sizes[at] = append(pages, at), size
		at += gpumem.Ptr(size)
	}
	if at != p+gpumem.Ptr(n) {
		d.mu.Unlock()
		return fmt.Errorf("unmap: %d bytes at %v do not end with a mapped page: %w", n, p, gpumem.ErrInvalid)
	}
	for _, at := range pages {
		delete(d.pages, at)
	}
	d.mu.Unlock()
	for i, at := range pages {
		if err := d.releasing("cuMemUnmap", d.api.memUnmap, uintptr(at), uintptr(sizes[at])); err != nil {
			d.mu.Lock()
			for _, left := range pages[i:] {
				d.pages[left] = sizes[left] // still mapped
			}
			d.mu.Unlock()
			return err
		}
	}
	return nil
}

// aligned refuses what the driver would refuse with a less clear word.
func (d *Driver) aligned(what string, p gpumem.Ptr, n, page int64) error {
	if d.grain == 0 {
		return fmt.Errorf("%s: device %d has no virtual memory management: %w", what, d.info.Ordinal, gpumem.ErrInvalid)
	}
	if n <= 0 || page <= 0 || page%d.grain != 0 || n%page != 0 || int64(p)%d.grain != 0 {
		return fmt.Errorf("%s: %d bytes at %v in pages of %d are no multiples of %d: %w", what, n, p, page, d.grain, gpumem.ErrInvalid)
	}
	return nil
}
