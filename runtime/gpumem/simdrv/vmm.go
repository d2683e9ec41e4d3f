// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// reservation is an address range; pages has the size of the page that starts
// at each offset where one is mapped. Pages cannot be cut.
type reservation struct {
	size  int64
	pages map[int64]int64
}

// Granularity is the smallest page.
func (d *Device) Granularity() int64 { return pageSize }

// Reserve gives addresses without memory.
func (d *Device) Reserve(n int64) (gpumem.Ptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpReserve, n); err != nil {
		return 0, err
	}
	if n <= 0 || n%pageSize != 0 {
		return 0, fmt.Errorf("simulated device: reserve %d bytes: %w", n, gpumem.ErrInvalid)
	}
	p := d.nextVA
	d.nextVA += gpumem.Ptr(n)
	d.ranges[p] = &reservation{n, map[int64]int64{}}
	return p, nil
}

// Release gives addresses back.
func (d *Device) Release(p gpumem.Ptr, n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpRelease, n); err != nil {
		return err
	}
	r := d.ranges[p]
	if r == nil || r.size != n || len(r.pages) != 0 {
		return fmt.Errorf("simulated device: release %v of %v: not a reserved range without memory: %w",
			gpumem.Bytes(n), p, gpumem.ErrInvalid)
	}
	delete(d.ranges, p)
	return nil
}

// find gives the reservation that has [p, p+n).
func (d *Device) find(p gpumem.Ptr, n int64) (*reservation, int64) {
	for at, r := range d.ranges {
		if p >= at && p+gpumem.Ptr(n) <= at+gpumem.Ptr(r.size) {
			return r, int64(p - at)
		}
	}
	return nil, 0
}

// Map puts pages of memory behind [p, p+n).
func (d *Device) Map(p gpumem.Ptr, n, page int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpMap, n); err != nil {
		return err
	}
	r, off := d.find(p, n)
	if r == nil || n <= 0 || page <= 0 || page%pageSize != 0 || n%page != 0 || off%pageSize != 0 {
		return fmt.Errorf("simulated device: map %v at %v in pages of %v: %w", gpumem.Bytes(n), p, gpumem.Bytes(page), gpumem.ErrInvalid)
	}
	for at, size := range r.pages {
		if at < off+n && off < at+size {
			return fmt.Errorf("simulated device: map %v at %v: mapped already: %w", gpumem.Bytes(n), p, gpumem.ErrInvalid)
		}
	}
	if d.used+n > d.cfg.Capacity-d.cfg.Foreign {
		return fmt.Errorf("simulated device: %v free, %v to map: %w",
			gpumem.Bytes(d.cfg.Capacity-d.cfg.Foreign-d.used), gpumem.Bytes(n), gpumem.ErrOutOfMemory)
	}
	for at := off; at < off+n; at += page {
		r.pages[at] = page
		d.spend(OpMap)
	}
	d.used += n
	return nil
}

// Unmap takes the memory behind [p, p+n) away. It does not wait for streams:
// who calls it has.
func (d *Device) Unmap(p gpumem.Ptr, n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpUnmap, n); err != nil {
		return err
	}
	r, off := d.find(p, n)
	if r == nil {
		return fmt.Errorf("simulated device: unmap %v at %v: %w", gpumem.Bytes(n), p, gpumem.ErrForeignPointer)
	}
	total := int64(0)
	for at := off; at < off+n; at += r.pages[at] {
		if r.pages[at] == 0 {
			return fmt.Errorf("simulated device: unmap %v at %v: no page starts at offset %d: %w", gpumem.Bytes(n), p, at, gpumem.ErrInvalid)
		}
		total += r.pages[at]
	}
	if total != n {
		return fmt.Errorf("simulated device: unmap %v at %v cuts a page: %w", gpumem.Bytes(n), p, gpumem.ErrInvalid)
	}
	for at := off; at < off+n; {
		size := r.pages[at]
		delete(r.pages, at)
		at += size
		d.spend(OpUnmap)
	}
	d.used -= n
	d.checkIdle(p, n)
	d.forget(p, n)
	d.erase(p, n)
	return nil
}
