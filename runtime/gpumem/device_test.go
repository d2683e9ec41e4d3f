// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// open opens a device on a fresh simulated one; both are checked at the end.
func open(t *testing.T, cfg simdrv.Config, opts ...gpumem.Option) (*gpumem.Device, *simdrv.Device) {
	t.Helper()
	sim := simdrv.New(cfg)
	d, err := gpumem.Open(sim, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !errors.Is(err, gpumem.ErrClosed) {
			t.Error(err)
		}
		for _, r := range sim.Races() {
			t.Error(r)
		}
	})
	return d, sim
}

func alloc(t *testing.T, d *gpumem.Device, n int64, opts ...gpumem.AllocOption) gpumem.Buffer {
	t.Helper()
	b, err := d.Alloc(n, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func closeAll(t *testing.T, list ...interface{ Close() error }) {
	t.Helper()
	for _, c := range list {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func stats(d *gpumem.Device) gpumem.Stats {
	var s gpumem.Stats
	d.ReadStats(&s)
	return s
}

func TestHitMakesNoCallAndNoGarbage(t *testing.T) {
	d, sim := open(t, simdrv.Config{NoRaceCheck: true})
	closeAll(t, alloc(t, d, 5000))
	calls := func() (n int64) {
		for _, op := range simdrv.Ops() {
			n += sim.Calls(op)
		}
		return n
	}
	before := calls()
	garbage := testing.AllocsPerRun(100, func() {
		b, err := d.Alloc(5000, gpumem.Tag("x"))
		if err != nil || b.Close() != nil {
			t.Error("the pair failed")
		}
	})
	if garbage != 0 {
		t.Errorf("a hit allocates %v Go objects", garbage)
	}
	if n := calls() - before; n != 0 {
		t.Errorf("hits made %d driver calls", n)
	}
}

func TestHandleMistakes(t *testing.T) {
	d, _ := open(t, simdrv.Config{})
	other, _ := open(t, simdrv.Config{Ordinal: 1})
	b := alloc(t, d, 100)
	closeAll(t, b)
	again := alloc(t, d, 100) // the same memory, another allocation
	if err := b.Close(); !errors.Is(err, gpumem.ErrDoubleFree) || !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("second close: %v, want a double free", err)
	}
	if !again.Valid() || b.Valid() {
		t.Error("the stale handle closed the new owner's buffer")
	}
	if err := b.UsedOn(nil); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("use after close: %v", err)
	}
	if _, err := b.View(0, 1); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("view after close: %v", err)
	}
	if err := again.UsedOn(other.DefaultStream()); !errors.Is(err, gpumem.ErrForeignPointer) {
		t.Errorf("stream of another device: %v", err)
	}
	if _, err := d.Alloc(1, gpumem.On(other.DefaultStream())); !errors.Is(err, gpumem.ErrForeignPointer) {
		t.Errorf("allocation on a stream of another device: %v", err)
	}
	if _, err := d.Alloc(-1); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("negative size: %v", err)
	}
	if _, err := d.Alloc(1 << 62); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("size of 4 EiB: %v", err)
	}
	if _, err := gpumem.AllocOf[float64](d, 1<<60); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("count that overflows: %v", err)
	}
	if err := (gpumem.Buffer{}).Close(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("close of the zero buffer: %v", err)
	}
	closeAll(t, again)
	closeAll(t, d)
	if _, err := d.Alloc(1); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("allocation on a closed device: %v", err)
	}
}

func TestCloseNamesWhatIsLive(t *testing.T) {
	sim := simdrv.New(simdrv.Config{})
	d, err := gpumem.Open(sim, gpumem.WithTracking(gpumem.TrackStack))
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 3*mib, gpumem.Tag("weights"))
	if _, err := b.View(0, 10); err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewEvent(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewPool("cache"); err != nil {
		t.Fatal(err)
	}
	err = d.Close()
	if !errors.Is(err, gpumem.ErrLeak) {
		t.Fatalf("close with live resources: %v", err)
	}
	for _, want := range []string{"5 live", `buffer of 3.00 MiB`, `"weights"`, "view", "stream", "event", `pool "cache"`, "device_test.go:", "TestCloseNamesWhatIsLive"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if sim.Used() != 0 {
		t.Errorf("%d bytes are lost on the device", sim.Used())
	}
	if err := b.Close(); !errors.Is(err, gpumem.ErrDoubleFree) {
		t.Errorf("close of a buffer of a closed device: %v", err)
	}
	if err := s.Close(); err == nil {
		t.Error("a stream outlived its device")
	}
}

func TestViewKeepsTheMemory(t *testing.T) {
	d, _ := open(t, simdrv.Config{})
	b := alloc(t, d, 4*mib)
	v, err := b.View(1024, 100)
	if err != nil {
		t.Fatal(err)
	}
	if v.Ptr() != b.Ptr()+1024 || v.Len() != 100 {
		t.Errorf("view is at %v, %d bytes", v.Ptr(), v.Len())
	}
	closeAll(t, b)
	if s := stats(d); s.Allocation.All.Current != 1 || s.Views.Current != 1 {
		t.Errorf("with a view open: %d buffers, %d views", s.Allocation.All.Current, s.Views.Current)
	}
	if err := b.Close(); !errors.Is(err, gpumem.ErrDoubleFree) {
		t.Errorf("second close of the viewed buffer: %v", err)
	}
	closeAll(t, v)
	if s := stats(d); s.Allocation.All.Current != 0 {
		t.Error("the memory outlived its last view")
	}
	if err := v.Close(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("second close of a view: %v", err)
	}
	for _, r := range [][2]int64{{-1, 1}, {0, 5 * mib}, {4 * mib, 1}} {
		c := alloc(t, d, 4*mib)
		if _, err := c.View(r[0], r[1]); !errors.Is(err, gpumem.ErrInvalid) {
			t.Errorf("view %v: %v", r, err)
		}
		closeAll(t, c)
	}
}

func TestScopeClosesOnPanic(t *testing.T) {
	d, _ := open(t, simdrv.Config{})
	func() {
		defer func() { _ = recover() }()
		_ = d.Run(context.Background(), func(_ context.Context, s *gpumem.Scope) error {
			if _, err := s.Alloc(mib); err != nil {
				t.Error(err)
			}
			panic("the step failed")
		})
	}()
	if n := stats(d).Allocation.All.Current; n != 0 {
		t.Errorf("%d buffers outlived their scope", n)
	}
	want := errors.New("no data")
	var kept *gpumem.Scope
	err := d.Run(context.Background(), func(_ context.Context, s *gpumem.Scope) error {
		kept = s
		b, _ := s.Alloc(1)
		closeAll(t, b) // early is fine
		return want
	})
	if !errors.Is(err, want) || errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("run returned %v", err)
	}
	if _, err := kept.Alloc(1); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("allocation from a scope that ended: %v", err)
	}
}

func TestPoolAndArena(t *testing.T) {
	d, sim := open(t, simdrv.Config{})
	p, err := d.NewPool("graph")
	if err != nil {
		t.Fatal(err)
	}
	a, b := alloc(t, d, 2*mib, gpumem.In(p)), alloc(t, d, 2*mib)
	if s := stats(d); s.ReservedByPool["graph"] != 2*mib || s.ReservedBytes.All.Current != 4*mib {
		t.Errorf("pool reserves %v of %d", s.ReservedByPool, s.ReservedBytes.All.Current)
	}
	closeAll(t, a)
	c := alloc(t, d, 2*mib) // does not take the pool's memory
	if c.Ptr() == a.Ptr() {
		t.Error("private memory was given to somebody else")
	}
	closeAll(t, p, b, c)
	if sim.Used() != 4*mib {
		t.Errorf("%d bytes are used after the pool is closed", sim.Used())
	}
	if _, err := d.Alloc(1, gpumem.In(p)); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("allocation from a closed pool: %v", err)
	}

	ar, err := d.NewArena(4096)
	if err != nil {
		t.Fatal(err)
	}
	x, err1 := ar.Alloc(100)
	y, err2 := ar.Alloc(3000)
	if err := errors.Join(err1, err2); err != nil || y != x+512 {
		t.Errorf("arena gave %v and %v: %v", x, y, err)
	}
	if _, err := ar.Alloc(2000); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("full arena: %v", err)
	}
	ar.Reset()
	if z, _ := ar.Alloc(1); z != x {
		t.Errorf("after reset the arena starts at %v, want %v", z, x)
	}
	if now, peak := ar.Used(); now != 512 || peak != 512+3072 {
		t.Errorf("arena used %d, at most %d", now, peak)
	}
	closeAll(t, ar)
}

// TestFalseExhaustion is a claim that is often made: a loop that allocates and
// frees 381 MiB would use up the cache. It does not.
func TestFalseExhaustion(t *testing.T) {
	for _, policy := range []gpumem.Policy{gpumem.PolicyBest, gpumem.PolicyPyTorch} {
		d, _ := open(t, simdrv.Config{Capacity: 1 << 30}, gpumem.WithPolicy(policy))
		for range 100 {
			closeAll(t, alloc(t, d, 381*mib))
		}
		if s := stats(d); s.ReservedBytes.All.Peak != 382*mib || s.NumDeviceAlloc != 1 {
			t.Errorf("%v: %d bytes in %d driver calls", policy, s.ReservedBytes.All.Peak, s.NumDeviceAlloc)
		}
	}
}

func TestPhasesMeasureApart(t *testing.T) {
	d, _ := open(t, simdrv.Config{})
	outer := d.Phase("step")
	held := alloc(t, d, 10*mib)
	forward := d.Phase("forward")
	closeAll(t, alloc(t, d, 30*mib))
	if got := forward.End(); got.Peak != 40*mib || got.Start != 10*mib || got.End != 10*mib || got.Allocs != 1 {
		t.Errorf("forward: %+v", got)
	}
	backward := d.Phase("backward")
	closeAll(t, alloc(t, d, 5*mib))
	if got := backward.End(); got.Peak != 15*mib {
		t.Errorf("backward: %+v", got)
	}
	closeAll(t, held)
	if got := outer.End(); got.Peak != 40*mib || got.Allocs != 3 || got.PeakReserved != 40*mib {
		t.Errorf("step: %+v", got)
	}
	if s := stats(d); s.ActiveBytes.All.Peak != 40*mib {
		t.Errorf("phases changed the device's peak to %d", s.ActiveBytes.All.Peak)
	}
	d.ResetPeak()
	if s := stats(d); s.ActiveBytes.All.Peak != 0 || s.ReservedBytes.All.Peak != s.ReservedBytes.All.Current {
		t.Errorf("after ResetPeak: %+v", s.ActiveBytes.All)
	}
	d.ResetAccumulated()
	closeAll(t, alloc(t, d, mib))
	if s := stats(d); s.Allocation.All.Allocated != 1 || s.Allocation.All.Freed != 1 {
		t.Errorf("after ResetAccumulated: %+v", s.Allocation.All)
	}
}

func TestLostBuffersComeBack(t *testing.T) {
	d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithRescue(true), gpumem.WithTracking(gpumem.TrackSite))
	lose := func() { _ = alloc(t, d, 40*mib) }
	lose()
	// The device is full but for the garbage: the second needs the collector.
	b := alloc(t, d, 40*mib)
	closeAll(t, b)
	lost := d.Lost()
	if len(lost) != 1 || lost[0].Requested != 40*mib || !strings.Contains(lost[0].Site.String(), "device_test.go") {
		t.Errorf("lost: %+v", lost)
	}
	if n := stats(d).FinalizerFrees; n != 1 {
		t.Errorf("%d lost buffers are counted", n)
	}
	runtime.KeepAlive(b)
}

func TestWaitForMemory(t *testing.T) {
	d, _ := open(t, simdrv.Config{Capacity: 64 * mib}, gpumem.WithPressureGC(false))
	b := alloc(t, d, 40*mib)
	got := make(chan error)
	go func() {
		c, err := d.Alloc(40*mib, gpumem.Wait(context.Background()))
		if err == nil {
			err = c.Close()
		}
		got <- err
	}()
	closeAll(t, b)
	if err := <-got; err != nil {
		t.Errorf("the waiting allocation: %v", err)
	}
	b = alloc(t, d, 40*mib)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := d.Alloc(40*mib, gpumem.Wait(ctx)); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("after the deadline: %v", err)
	}
	closeAll(t, b)
}

func TestNoCache(t *testing.T) {
	t.Setenv("GPUMEM_NO_CACHE", "1") // as WithNoCache
	d, sim := open(t, simdrv.Config{})
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 1000, gpumem.On(s))
	if err := b.UsedOn(d.DefaultStream()); err != nil {
		t.Error(err)
	}
	closeAll(t, b, s)
	if sim.Used() != 0 || sim.Calls(simdrv.OpAlloc) != 1 || sim.Calls(simdrv.OpFree) != 1 {
		t.Errorf("uncached: %d bytes used, %d allocs, %d frees", sim.Used(), sim.Calls(simdrv.OpAlloc), sim.Calls(simdrv.OpFree))
	}
}
