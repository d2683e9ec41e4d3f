// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// contentPage is what contents are kept in. A page is made when it is first
// written, so a device of 140 GiB costs what is written to it.
const contentPage = 4096

// CopyIn writes src to device memory and returns when it is there.
func (d *Device) CopyIn(dst gpumem.Ptr, src []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpCopy, int64(len(src))); err != nil {
		return err
	}
	if err := d.hasMemory(dst, int64(len(src))); err != nil {
		return fmt.Errorf("simulated device: copy %v in: %w", gpumem.Bytes(len(src)), err)
	}
	for len(src) > 0 {
		at, off := dst/contentPage, int(dst%contentPage)
		page := d.content[at]
		if page == nil {
			page = new([contentPage]byte)
			d.content[at] = page
		}
		n := copy(page[off:], src)
		src, dst = src[n:], dst+gpumem.Ptr(n)
	}
	return nil
}

// CopyOut reads device memory. What was never written is zero here; on a GPU it
// is anything.
func (d *Device) CopyOut(dst []byte, src gpumem.Ptr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.call(OpCopy, int64(len(dst))); err != nil {
		return err
	}
	if err := d.hasMemory(src, int64(len(dst))); err != nil {
		return fmt.Errorf("simulated device: copy %v out: %w", gpumem.Bytes(len(dst)), err)
	}
	for len(dst) > 0 {
		at, off := src/contentPage, int(src%contentPage)
		n := min(len(dst), contentPage-off)
		if page := d.content[at]; page != nil {
			copy(dst[:n], page[off:])
		} else {
			clear(dst[:n])
		}
		dst, src = dst[n:], src+gpumem.Ptr(n)
	}
	return nil
}

// hasMemory checks that there is memory behind [p, p+n).
func (d *Device) hasMemory(p gpumem.Ptr, n int64) error {
	for at, size := range d.space.taken {
		if p >= at && p+gpumem.Ptr(n) <= at+gpumem.Ptr(size) {
			return nil
		}
	}
	r, off := d.find(p, n)
	if r == nil {
		return fmt.Errorf("%v: %w", p, gpumem.ErrForeignPointer)
	}
	covered := int64(0)
	for at, size := range r.pages {
		covered += max(min(at+size, off+n)-max(at, off), 0)
	}
	if covered < n {
		return fmt.Errorf("%v: %v of %v are not mapped: %w", p, gpumem.Bytes(n-covered), gpumem.Bytes(n), gpumem.ErrForeignPointer)
	}
	return nil
}

// erase forgets the contents of memory that is given back. It is given and
// taken in whole pages of 2 MiB.
func (d *Device) erase(p gpumem.Ptr, n int64) {
	if len(d.content) == 0 {
		return
	}
	for at := p / contentPage; at < (p+gpumem.Ptr(n))/contentPage; at++ {
		delete(d.content, at)
	}
}
