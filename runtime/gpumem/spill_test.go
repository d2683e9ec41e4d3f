// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"sync"
	"testing"
)

// TestSpillKeepsTheBooks gives a stream further heaps, as contention does, and
// checks that memory wanders between goroutines without getting lost.
func TestSpillKeepsTheBooks(t *testing.T) {
	drv := &benchDriver{}
	d, err := Open(drv)
	if err != nil {
		t.Fatal(err)
	}
	held, err := d.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	d.makeSpill(d.stream0.heap)
	if again := d.makeSpill(d.stream0.heap); again != d.stream0.heap.spill.Load() || len(d.allHeaps()) != 1+spillHeaps {
		t.Fatalf("%d heaps after two calls", len(d.allHeaps()))
	}
	var wg sync.WaitGroup
	pass := make(chan Buffer, 100)
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 500 {
				b, err := d.Alloc(int64(100 + i*13%2000))
				if err != nil {
					t.Error(err)
					return
				}
				pass <- b
				if err := (<-pass).Close(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	large, err := d.Alloc(30 * mib) // stays in the stream's own heap
	if err != nil || large.b.heap != d.stream0.heap {
		t.Errorf("large memory is spread: %v", err)
	}
	mustCheck(t, d)
	var s Stats
	d.ReadStats(&s)
	if s.Allocation.All.Current != 2 || s.Allocation.All.Allocated != 4002 {
		t.Errorf("%+v", s.Allocation.All)
	}
	if s.ReservedBytes.Small.Peak > (1+spillHeaps)*smallBuffer {
		t.Errorf("%d bytes are reserved for small memory", s.ReservedBytes.Small.Peak)
	}
	for _, b := range []Buffer{held, large} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.Trim(0); err != nil {
		t.Error(err)
	}
	d.ReadStats(&s)
	if s.ReservedBytes.All.Current != 0 {
		t.Errorf("%d bytes stay reserved", s.ReservedBytes.All.Current)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestContention wants more than a chance meeting to count.
func TestContention(t *testing.T) {
	h := &heap{}
	for range spillAfter {
		if h.contended() {
			t.Fatal("contended too early")
		}
	}
	if !h.contended() {
		t.Error("often found locked, not contended")
	}
	h.ops += 2 * spillWindow
	if h.contended() {
		t.Error("what is long ago still counts")
	}
}

// TestSteadyStateIsFree repeats a training step of one shape: after the first
// few the driver is not asked any more.
func TestSteadyStateIsFree(t *testing.T) {
	for _, policy := range []Policy{PolicyBest, PolicyPyTorch} {
		drv := &benchDriver{}
		d, err := Open(drv, WithPolicy(policy))
		if err != nil {
			t.Fatal(err)
		}
		step := func() {
			var live []Buffer
			for i := range 40 { // forward
				for _, n := range []int64{3 * mib, 700 * kib, 17 * mib, 2000, 9 * mib} {
					b, err := d.Alloc(n + int64(i)*kib*64)
					if err != nil {
						t.Fatal(err)
					}
					live = append(live, b)
				}
			}
			for len(live) > 0 { // backward
				g, err := d.Alloc(5 * mib)
				if err != nil {
					t.Fatal(err)
				}
				live[len(live)-1].Close()
				live = live[:len(live)-1]
				g.Close()
			}
		}
		for range 4 {
			step()
		}
		before := drv.calls.Load()
		for range 10 {
			step()
		}
		if n := drv.calls.Load() - before; n != 0 {
			t.Errorf("%v: %d driver calls in ten steps after the first four", policy, n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
