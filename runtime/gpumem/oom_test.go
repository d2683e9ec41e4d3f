// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// fail allocates what must not fit and gives the report.
func fail(t *testing.T, d *gpumem.Device, n int64) *gpumem.OOMError {
	t.Helper()
	b, err := d.Alloc(n)
	if err == nil {
		t.Fatalf("%d bytes fit at %v", n, b.Ptr())
	}
	var e *gpumem.OOMError
	if !errors.As(err, &e) || !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Fatalf("the error is no OOMError: %v", err)
	}
	if len(e.Report()) > 4096 || strings.Contains(e.Error(), "\n") {
		t.Errorf("the report has %d bytes, the error is %q", len(e.Report()), e.Error())
	}
	return e
}

func TestOOMCauses(t *testing.T) {
	t.Run("exhausted", func(t *testing.T) {
		d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithTracking(gpumem.TrackStack))
		b, c := alloc(t, d, 40*mib, gpumem.Tag("a")), alloc(t, d, 10*mib)
		e := fail(t, d, 30*mib)
		if e.Kind != gpumem.OOMExhausted || e.Requested != 30*mib || e.DeviceFree != 14*mib || e.Allocated != 50*mib {
			t.Errorf("%+v", e)
		}
		if len(e.Top) != 2 || e.Top[0].Bytes != 40*mib || !strings.Contains(e.Report(), "gpumem_test.alloc") {
			t.Errorf("top sites: %+v\n%s", e.Top, e.Report())
		}
		if len(e.Occupancy) != 100 || strings.Trim(e.Occupancy, "*") != "" {
			t.Errorf("occupancy %q", e.Occupancy)
		}
		closeAll(t, b, c)
	})
	t.Run("fragmented", func(t *testing.T) {
		d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithPolicy(gpumem.PolicyPyTorch))
		var bufs []gpumem.Buffer
		for range 12 { // three segments of 20 MiB in pieces
			bufs = append(bufs, alloc(t, d, 5*mib))
		}
		for i, b := range bufs {
			if i%2 == 0 {
				closeAll(t, b)
			}
		}
		e := fail(t, d, 20*mib)
		if e.Kind != gpumem.OOMFragmented || e.TotalFree != 30*mib || e.LargestFree != 5*mib || len(e.Pinning) != 2 {
			t.Errorf("%v, total free %d, largest %d, pinning %v", e.Kind, e.TotalFree, e.LargestFree, e.Pinning)
		}
		if hints := strings.Join(e.Hints, ";"); !strings.Contains(hints, "expandable_segments") {
			t.Errorf("hints: %s", hints)
		}
		if !strings.Contains(e.Occupancy, "_") {
			t.Errorf("occupancy %q", e.Occupancy)
		}
		for i, b := range bufs {
			if i%2 != 0 {
				closeAll(t, b)
			}
		}
	})
	t.Run("mapped memory is hinted at once only", func(t *testing.T) {
		d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithPolicy(gpumem.PolicyPyTorch), gpumem.WithConf("expandable_segments:True"))
		b := alloc(t, d, 40*mib)
		if hints := strings.Join(fail(t, d, 40*mib).Hints, ";"); strings.Contains(hints, "expandable_segments") {
			t.Errorf("hints recommend what is on: %s", hints)
		}
		closeAll(t, b)
	})
	t.Run("limit", func(t *testing.T) {
		d, _ := open(t, simdrv.Config{Capacity: 1 << 30}, gpumem.WithLimit(64*mib))
		b := alloc(t, d, 40*mib)
		e := fail(t, d, 40*mib)
		if e.Kind != gpumem.OOMLimit || e.Limit != 64*mib || !strings.Contains(e.Error(), "limit 64.00 MiB") {
			t.Errorf("%v: %v", e.Kind, e)
		}
		if old := d.SetLimit(0); old != 64*mib {
			t.Errorf("the old limit is %d", old)
		}
		closeAll(t, alloc(t, d, 40*mib), b)
	})
	t.Run("foreign", func(t *testing.T) {
		d, _ := open(t, simdrv.Config{Capacity: 1 << 30, Foreign: 1000 * mib})
		e := fail(t, d, 40*mib)
		if e.Kind != gpumem.OOMForeign || e.Outside != 1000*mib {
			t.Errorf("%v, outside %d", e.Kind, e.Outside)
		}
	})
	t.Run("a broken device is not out of memory", func(t *testing.T) {
		d, sim := open(t, simdrv.Config{})
		sim.FailNth(simdrv.OpAlloc, 1, errBroken)
		_, err := d.Alloc(1)
		if !errors.Is(err, errBroken) || errors.Is(err, gpumem.ErrOutOfMemory) {
			t.Errorf("%v", err)
		}
		if n := sim.Calls(simdrv.OpAlloc); n != 1 {
			t.Errorf("a broken device was asked %d times", n)
		}
	})
}

func TestObserversMakeRoom(t *testing.T) {
	d, _ := open(t, simdrv.Config{Capacity: 64 * mib})
	cache := alloc(t, d, 40*mib)
	asked := 0
	remove := d.OnOOM(func(e *gpumem.OOMError) bool {
		asked++
		if asked > 1 {
			return false
		}
		closeAll(t, cache) // callbacks hold no lock
		return true
	})
	b := alloc(t, d, 40*mib)
	fail(t, d, 40*mib)
	if asked != 2 {
		t.Errorf("the callback was asked %d times", asked)
	}
	remove()
	fail(t, d, 40*mib)
	if asked != 2 {
		t.Error("a removed callback was asked")
	}
	closeAll(t, b)
	if s := stats(d); s.NumOOMs != 2 || s.NumAllocRetries == 0 {
		t.Errorf("%d failures, %d retries are counted", s.NumOOMs, s.NumAllocRetries)
	}
}

func TestPressure(t *testing.T) {
	d, _ := open(t, simdrv.Config{Capacity: 100 * mib})
	calls := 0
	defer d.OnPressure(0.5, func(s gpumem.Stats) {
		calls++
		if s.ActiveBytes.All.Current != 60*mib {
			t.Errorf("called at %d", s.ActiveBytes.All.Current)
		}
	})()
	a, b, c := alloc(t, d, 30*mib), alloc(t, d, 30*mib), alloc(t, d, 12*mib)
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
	closeAll(t, a, b, c)
}

func TestUseOnOOM(t *testing.T) {
	d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithPressureGC(false))
	p, err := d.NewPool("reserve", gpumem.UseOnOOM())
	if err != nil {
		t.Fatal(err)
	}
	closeAll(t, alloc(t, d, 40*mib, gpumem.In(p)))
	b := alloc(t, d, 30*mib) // only the pool has that much
	closeAll(t, b, p)
}
