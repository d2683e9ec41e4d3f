// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"testing"
)

const kib = int64(1) << 10

// check recounts everything that a device keeps books of and reports the first
// contradiction. Nobody may use the device meanwhile.
func check(d *Device) error {
	var reserved [2]int64
	for _, h := range d.allHeaps() {
		h.mu.Lock()
		err := h.check(&reserved)
		h.mu.Unlock()
		if err != nil {
			return fmt.Errorf("stream %d, pool %d: %w", h.stream, h.pool.id, err)
		}
	}
	var s Stats
	d.ReadStats(&s)
	if s.ReservedBytes.Small.Current != reserved[0] || s.ReservedBytes.Large.Current != reserved[1] {
		return fmt.Errorf("reserved is counted %d and %d, is %v", s.ReservedBytes.Small.Current, s.ReservedBytes.Large.Current, reserved)
	}
	if all := s.ReservedBytes.All.Current; all != reserved[0]+reserved[1] || s.ReservedBytes.All.Peak < all {
		return fmt.Errorf("reserved of all is counted %+v, is %d", s.ReservedBytes.All, reserved[0]+reserved[1])
	}
	for key, v := range s.Keys() {
		if v < 0 && key != "max_split_size" {
			return fmt.Errorf("%s is %d", key, v)
		}
	}
	return nil
}

func (h *heap) check(reserved *[2]int64) error {
	var sum [2]row
	var free [2]struct{ n, bytes int64 }
	var unmapped [2]int
	for i, s := range h.segs {
		if s.index != i {
			return fmt.Errorf("segment %v has index %d, is at %d", s.addr, s.index, i)
		}
		at := s.addr
		for b, prev := s.head, (*block)(nil); b != nil; prev, b = b, b.next {
			switch {
			case b.addr != at:
				return fmt.Errorf("block at %v, want %v: gap or overlap", b.addr, at)
			case b.size <= 0 || b.prev != prev || b.seg != s || b.heap != h || b.kind != s.kind:
				return fmt.Errorf("block at %v is linked wrongly", b.addr)
			case prev != nil && prev.state == b.state && (b.state == stateFree || b.state == stateUnmapped):
				return fmt.Errorf("blocks at %v and %v are not merged", prev.addr, b.addr)
			case (b.id == 0) != (b.state == stateFree || b.state == stateUnmapped):
				return fmt.Errorf("block at %v in state %d has id %d", b.addr, b.state, b.id)
			}
			at = b.end()
			r := &sum[b.kind]
			switch b.state {
			case stateFree:
				free[b.kind].n++
				free[b.kind].bytes += b.size
				if !b.whole() && !s.vmm {
					r[colSplit]++
					r[colSplitB] += b.size
				}
			case stateUnmapped:
				unmapped[b.kind]++
				reserved[b.kind] -= b.size
			case stateHeld:
				r[colCount]++
				r[colBytes] += b.size
				fallthrough
			case statePending:
				r[colActive]++
				r[colActiveB] += b.size
				r[colRequested] += b.req
			default:
				return fmt.Errorf("block at %v has state %d", b.addr, b.state)
			}
		}
		if at != s.addr+Ptr(s.size) {
			return fmt.Errorf("blocks of segment %v end at %v, want %v", s.addr, at, s.addr+Ptr(s.size))
		}
		reserved[s.kind] += s.size
	}
	for k := range sum {
		if sum[k] != h.c.cur[k] {
			return fmt.Errorf("kind %d is counted %v, is %v", k, h.c.cur[k], sum[k])
		}
		if err := h.free[k].check(free[k].n, free[k].bytes); err != nil {
			return err
		}
		if unmapped[k] != len(h.unmapped[k]) {
			return fmt.Errorf("%d unmapped blocks are listed, %d are there", len(h.unmapped[k]), unmapped[k])
		}
		for i := 1; i < len(h.unmapped[k]); i++ {
			if h.unmapped[k][i-1].addr >= h.unmapped[k][i].addr {
				return fmt.Errorf("unmapped blocks are out of order")
			}
		}
	}
	return nil
}

// check walks the set both ways.
func (f *freeSet) check(n, bytes int64) error {
	if int64(f.count) != n || f.bytes != bytes {
		return fmt.Errorf("free set counts %d blocks of %d bytes, %d of %d are free", f.count, f.bytes, n, bytes)
	}
	seen := int64(0)
	for b, last := f.first(), (*block)(nil); b != nil; last, b = b, f.next(b) {
		if seen++; seen > n {
			return fmt.Errorf("free set has more blocks than are free")
		}
		if last != nil && !last.before(b.size, b.addr) {
			return fmt.Errorf("free set is out of order at %v", b.addr)
		}
		if f.prev(b) != last {
			return fmt.Errorf("free set: block before %v is wrong", b.addr)
		}
	}
	if seen != n {
		return fmt.Errorf("free set reaches %d of %d blocks", seen, n)
	}
	return nil
}

// mustCheck fails the test where the books are wrong.
func mustCheck(t testing.TB, d *Device) {
	t.Helper()
	if err := check(d); err != nil {
		t.Fatal(err)
	}
}
