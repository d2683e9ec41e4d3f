// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

const mib = int64(1) << 20

// The device is all that the allocator can ask for.
var (
	_ gpumem.Driver       = (*simdrv.Device)(nil)
	_ gpumem.VMM          = (*simdrv.Device)(nil)
	_ gpumem.BlockWatcher = (*simdrv.Device)(nil)
)

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestCapacity(t *testing.T) {
	d := simdrv.New(simdrv.Config{Capacity: 10 * mib, Foreign: 2 * mib})
	a := must[gpumem.Ptr](t)(d.Alloc(3 * mib)) // two pages
	if _, err := d.Alloc(5 * mib); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("6 MiB of pages in 4 free: %v", err)
	}
	if free, total, err := d.MemInfo(); err != nil || free != 4*mib || total != 10*mib {
		t.Errorf("free %d of %d: %v", free, total, err)
	}
	if err := d.Free(a + 1); !errors.Is(err, gpumem.ErrForeignPointer) {
		t.Errorf("free of a foreign address: %v", err)
	}
	if err := d.Close(); !errors.Is(err, gpumem.ErrLeak) {
		t.Errorf("close with memory in use: %v", err)
	}
	if _, err := d.Alloc(1); !errors.Is(err, simdrv.ErrClosed) {
		t.Errorf("use after close: %v", err)
	}
}

func TestContiguousMemoryFragments(t *testing.T) {
	for contiguous, want := range map[bool]bool{false: true, true: false} {
		d := simdrv.New(simdrv.Config{Capacity: 8 * mib, Contiguous: contiguous})
		var p [4]gpumem.Ptr
		for i := range p {
			p[i] = must[gpumem.Ptr](t)(d.Alloc(2 * mib))
		}
		for _, i := range []int{0, 2} {
			if err := d.Free(p[i]); err != nil {
				t.Fatal(err)
			}
		}
		_, err := d.Alloc(4 * mib)
		if ok := err == nil; ok != want {
			t.Errorf("contiguous=%v: 4 MiB in two pieces: %v", contiguous, err)
		}
	}
}

func TestMapping(t *testing.T) {
	d := simdrv.New(simdrv.Config{Capacity: 8 * mib})
	p := must[gpumem.Ptr](t)(d.Reserve(20 * mib))
	for name, err := range map[string]error{
		"unaligned":   d.Map(p+512, 2*mib, 2*mib),
		"odd page":    d.Map(p, 2*mib, 3*mib),
		"too much":    d.Map(p, 10*mib, 2*mib),
		"not ours":    d.Map(p+gpumem.Ptr(20*mib), 2*mib, 2*mib),
		"not mapped":  d.Unmap(p, 2*mib),
		"odd reserve": func() error { _, err := d.Reserve(3); return err }(),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := d.Map(p, 8*mib, 4*mib); err != nil {
		t.Fatal(err)
	}
	if err := d.Map(p, 4*mib, 4*mib); err == nil {
		t.Error("memory is mapped twice at an address")
	}
	if err := d.Unmap(p, 2*mib); err == nil {
		t.Error("a page was cut")
	}
	if err := d.Release(p, 20*mib); err == nil {
		t.Error("addresses with memory behind them were released")
	}
	if err := errors.Join(d.Unmap(p+gpumem.Ptr(4*mib), 4*mib), d.Unmap(p, 4*mib), d.Release(p, 20*mib), d.Close()); err != nil {
		t.Error(err)
	}
}

// TestRaces is the check on the check: memory that changes its stream with and
// without a wait.
func TestRaces(t *testing.T) {
	setup := func() (d *simdrv.Device, a, b gpumem.StreamHandle, p gpumem.Ptr) {
		d = simdrv.New(simdrv.Config{})
		a, b = must[gpumem.StreamHandle](t)(d.NewStream()), must[gpumem.StreamHandle](t)(d.NewStream())
		p = must[gpumem.Ptr](t)(d.Alloc(2 * mib))
		d.BlockAlloc(1, p, mib, a)
		if err := d.Launch(a, time.Millisecond, p, mib); err != nil {
			t.Fatal(err)
		}
		d.BlockFree(1, p, mib, a, nil)
		return d, a, b, p
	}
	t.Run("no wait", func(t *testing.T) {
		d, a, b, p := setup()
		d.BlockAlloc(2, p+512, mib/2, b)
		races := d.Races()
		if len(races) != 1 || races[0].Before != a || races[0].After != b || races[0].Prior != 1 || races[0].Block != 2 || races[0].Size != mib/2 {
			t.Errorf("races: %v", races)
		}
	})
	t.Run("same stream", func(t *testing.T) {
		d, a, _, p := setup()
		d.BlockAlloc(2, p, mib, a)
		if r := d.Races(); len(r) != 0 {
			t.Errorf("races: %v", r)
		}
	})
	t.Run("event and wait", func(t *testing.T) {
		d, a, b, p := setup()
		e := must[gpumem.EventHandle](t)(d.NewEvent())
		if err := errors.Join(d.Record(e, a), d.Wait(b, e)); err != nil {
			t.Fatal(err)
		}
		d.BlockAlloc(2, p, mib, b)
		if r := d.Races(); len(r) != 0 {
			t.Errorf("races: %v", r)
		}
	})
	t.Run("event recorded too early", func(t *testing.T) {
		d, a, b, p := setup()
		e := must[gpumem.EventHandle](t)(d.NewEvent())
		if err := d.Record(e, a); err != nil {
			t.Fatal(err)
		}
		d.BlockAlloc(2, p, mib, a) // work after the event
		d.BlockFree(2, p, mib, a, nil)
		if err := d.Wait(b, e); err != nil {
			t.Fatal(err)
		}
		d.BlockAlloc(3, p, mib, b)
		if r := d.Races(); len(r) != 1 {
			t.Errorf("races: %v", r)
		}
	})
	t.Run("host waits", func(t *testing.T) {
		d, a, b, p := setup()
		if err := d.SyncStream(a); err != nil {
			t.Fatal(err)
		}
		d.BlockAlloc(2, p, mib, b)
		if r := d.Races(); len(r) != 0 {
			t.Errorf("races: %v", r)
		}
	})
	t.Run("used on another stream", func(t *testing.T) {
		d, a, b, p := setup()
		d.BlockAlloc(2, p, mib, a)
		d.BlockFree(2, p, mib, a, []gpumem.StreamHandle{b})
		d.BlockAlloc(3, p, mib, a)
		if r := d.Races(); len(r) != 0 {
			t.Errorf("stream b did no work, races: %v", r)
		}
		d.BlockFree(3, p, mib, a, nil)
		if err := d.Launch(b, 1, 0, 0); err != nil {
			t.Fatal(err)
		}
		d.BlockAlloc(4, p, mib, a)
		d.BlockFree(4, p, mib, a, []gpumem.StreamHandle{b})
		d.BlockAlloc(5, p, mib, a)
		if r := d.Races(); len(r) != 1 || r[0].Before != b {
			t.Errorf("races: %v", r)
		}
	})
}

func TestVirtualTime(t *testing.T) {
	d := simdrv.New(simdrv.Config{Latency: simdrv.H200()})
	p := must[gpumem.Ptr](t)(d.Alloc(mib))
	spent := d.Now()
	if spent != 30*time.Microsecond {
		t.Errorf("an allocation took %v", spent)
	}
	e := must[gpumem.EventHandle](t)(d.NewEvent())
	if err := errors.Join(d.Launch(0, time.Second, p, mib), d.Record(e, 0)); err != nil {
		t.Fatal(err)
	}
	if done, err := d.Query(e); done || err != nil {
		t.Errorf("work of a second is done at once: %v", err)
	}
	d.Advance(time.Second)
	if done, err := d.Query(e); !done || err != nil {
		t.Errorf("work of a second is not done after one: %v", err)
	}
	if err := errors.Join(d.Launch(0, time.Second, p, mib), d.SyncStream(0)); err != nil || d.Now() < 2*time.Second {
		t.Errorf("after the sync it is %v: %v", d.Now(), err)
	}
}

func TestFaults(t *testing.T) {
	d := simdrv.New(simdrv.Config{})
	d.FailNth(simdrv.OpAlloc, 2, nil)
	must[gpumem.Ptr](t)(d.Alloc(1))
	if _, err := d.Alloc(1); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("the second allocation: %v", err)
	}
	must[gpumem.Ptr](t)(d.Alloc(1))
	if n := d.Calls(simdrv.OpAlloc); n != 3 {
		t.Errorf("%d allocations are counted", n)
	}
	for _, op := range simdrv.Ops() {
		if op.String() == "" || op.String() == "unknown" {
			t.Errorf("call %d has no name", op)
		}
	}
}
