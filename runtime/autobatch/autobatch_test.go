// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/autobatch"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

const mib = 1 << 20

// device gives a device of so many MiB that the test must leave empty.
func device(t *testing.T, capacity int64, opts ...gpumem.Option) *gpumem.Device {
	return gpumemtest.New(t, gpumemtest.Simulate(simdrv.Config{Capacity: capacity * mib, NoRaceCheck: true}),
		gpumemtest.With(append(opts, gpumem.WithPressureGC(false))...))
}

// needs is a step that holds fixed MiB and each MiB for an example, in several
// buffers, at the same time.
func needs(fixed, each int64) autobatch.Step {
	return func(ctx context.Context, n int, s *gpumem.Scope) error {
		for _, size := range []int64{fixed, each * int64(n) / 2, each*int64(n) - each*int64(n)/2} {
			if size == 0 {
				continue
			}
			if _, err := s.Alloc(size * mib); err != nil {
				return err
			}
		}
		return nil
	}
}

// sizes lists what was tried.
func sizes(r *autobatch.Result) (out []int) {
	for _, t := range r.Trials {
		out = append(out, t.Size)
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name     string
		capacity int64
		step     autobatch.Step
		cfg      autobatch.Config
		size     int
		fits     int
		tried    []int
	}{
		{"bisect", 1000, needs(100, 10), autobatch.Config{}, 85, 90, []int{2, 4, 8, 16, 32, 64, 128, 96, 80, 88, 92, 90, 91}},
		{"no margin", 1000, needs(100, 10), autobatch.Config{Margin: -1}, 90, 90, nil},
		{"power", 1000, needs(100, 10), autobatch.Config{Mode: autobatch.Power}, 64, 64, []int{2, 4, 8, 16, 32, 64, 128}},
		{"downwards", 1000, needs(100, 10), autobatch.Config{Init: 500, Margin: -1}, 90, 90, nil},
		{"one", 120, needs(100, 10), autobatch.Config{Init: 64, Margin: -1}, 2, 2, nil},
		{"max", 1000, needs(100, 10), autobatch.Config{Max: 50}, 50, 50, []int{2, 4, 8, 16, 32, 50}},
		{"power below max", 1000, needs(100, 10), autobatch.Config{Max: 50, Mode: autobatch.Power}, 32, 32, nil},
		{"init above max", 1000, needs(100, 10), autobatch.Config{Init: 90, Max: 20}, 20, 20, []int{20}},
		{"multiple", 1000, needs(100, 10), autobatch.Config{MultipleOf: 8}, 80, 88, nil},
		{"trials", 1000, needs(100, 10), autobatch.Config{Trials: 8, Margin: -1}, 64, 64, []int{2, 4, 8, 16, 32, 64, 128, 96}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.cfg.Device = device(t, c.capacity)
			told := 0
			c.cfg.Report = func(autobatch.Trial) { told++ }
			r, err := autobatch.Search(context.Background(), c.cfg, c.step)
			if err != nil {
				t.Fatal(err)
			}
			if r.Size != c.size || r.Fits != c.fits {
				t.Errorf("size %d of %d that fit, want %d of %d; tried %v", r.Size, r.Fits, c.size, c.fits, sizes(r))
			}
			if c.tried != nil && !slices.Equal(sizes(r), c.tried) {
				t.Errorf("tried %v, want %v", sizes(r), c.tried)
			}
			if told != len(r.Trials) {
				t.Errorf("%d reports of %d trials", told, len(r.Trials))
			}
			for _, tr := range r.Trials {
				if fits := tr.Outcome == autobatch.Fits; fits != (tr.Err == nil) || fits && tr.Peak < int64(tr.Size)*10*mib {
					t.Errorf("trial %+v", tr)
				}
			}
		})
	}
}

// TestEveryCapacity compares with arithmetic on many devices.
func TestEveryCapacity(t *testing.T) {
	for capacity := int64(112); capacity < 1200; capacity += 34 {
		d := device(t, capacity)
		got, err := autobatch.Find(context.Background(), autobatch.Config{Device: d, Margin: -1, Steps: 2}, needs(100, 4))
		if want := int((capacity - 100) / 4); err != nil || got != want {
			t.Errorf("%d MiB: %d, %v, want %d", capacity, got, err, want)
		}
	}
}

// TestNothingFits says which batch did not, and why.
func TestNothingFits(t *testing.T) {
	d := device(t, 64)
	_, err := autobatch.Find(context.Background(), autobatch.Config{Device: d}, needs(100, 10))
	var oom *gpumem.OOMError
	if !errors.Is(err, autobatch.ErrNothingFits) || !errors.Is(err, gpumem.ErrOutOfMemory) || !errors.As(err, &oom) || !strings.Contains(err.Error(), "a batch of 1") {
		t.Errorf("got %v", err)
	}
}

// TestOtherErrorsEndTheSearch passes an error on that is none of memory, and
// takes one for memory that only the program knows.
func TestOtherErrorsEndTheSearch(t *testing.T) {
	d := device(t, 1000)
	broken := errors.New("no such file")
	calls := 0
	_, err := autobatch.Find(context.Background(), autobatch.Config{Device: d}, func(_ context.Context, n int, s *gpumem.Scope) error {
		calls++
		if _, err := s.Alloc(mib); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "batch of 2") || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	cudnn := errors.New("CUDNN_STATUS_NOT_SUPPORTED")
	got, err := autobatch.Find(context.Background(), autobatch.Config{Device: d, Margin: -1, OutOfMemory: func(err error) bool { return errors.Is(err, cudnn) }},
		func(_ context.Context, n int, _ *gpumem.Scope) error {
			if n > 37 {
				return cudnn
			}
			return nil
		})
	if err != nil || got != 37 {
		t.Errorf("%d, %v, want 37", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = autobatch.Find(ctx, autobatch.Config{Device: d}, func(context.Context, int, *gpumem.Scope) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestThrashing has a step that uses memory on two streams, one after the other.
// PyTorch's policy does not lend memory from one to the other, so above a size
// it empties the cache in each step: that works, and slowly.
func TestThrashing(t *testing.T) {
	// Of 1000 MiB both streams' memory can be kept for a batch of 400, and the
	// larger alone for one of 666.
	find := func(thrash int) int {
		t.Helper()
		d := device(t, 1000, gpumem.WithPolicy(gpumem.PolicyPyTorch))
		second, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer second.Close()
		r, err := autobatch.Search(context.Background(), autobatch.Config{Device: d, Init: 200, Margin: -1, ThrashRetries: thrash, Steps: 4},
			func(_ context.Context, n int, s *gpumem.Scope) error {
				for _, on := range []gpumem.AllocOption{gpumem.On(nil), gpumem.On(second)} {
					b, err := s.Alloc(int64(n)*mib, on)
					if err != nil {
						return err
					}
					if err := b.Close(); err != nil {
						return err
					}
					n = n * 3 / 2
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range r.Trials {
			if tr.Outcome == autobatch.Thrashing && tr.Retries < 2 {
				t.Errorf("thrashing, with %d retries: %+v", tr.Retries, tr)
			}
		}
		return r.Size
	}
	if got := find(2); got < 380 || got > 420 {
		t.Errorf("a batch of %d thrashes, want about 400", got)
	}
	if got := find(-1); got < 640 || got > 670 {
		t.Errorf("a batch of %d, want about 666 where thrashing is allowed", got)
	}
}

// TestLeakingStep is told of its leak, and not that its batch is too large.
func TestLeakingStep(t *testing.T) {
	d := device(t, 1000)
	var lost []gpumem.Buffer
	_, err := autobatch.Find(context.Background(), autobatch.Config{Device: d}, func(_ context.Context, n int, s *gpumem.Scope) error {
		b, err := d.Alloc(10 * mib) // not through the scope
		lost = append(lost, b)
		return err
	})
	if !errors.Is(err, gpumem.ErrLeak) || !strings.Contains(err.Error(), "left more buffers alive") {
		t.Errorf("got %v", err)
	}
	var kept gpumem.Buffer
	got, err := autobatch.Find(context.Background(), autobatch.Config{Device: d, Max: 16}, func(_ context.Context, n int, s *gpumem.Scope) error {
		if kept.Device() != nil {
			return nil
		}
		var err error
		kept, err = d.Alloc(10 * mib) // an optimizer's state, once
		return err
	})
	if err != nil || got != 16 {
		t.Errorf("a step that keeps something once: %d, %v", got, err)
	}
	for _, b := range append(lost, kept) {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestScopeIsClosedBeforeTheNextTry fails if a failed step's buffers are alive
// in the next one.
func TestScopeIsClosedBeforeTheNextTry(t *testing.T) {
	d := device(t, 1000)
	live := func() int64 {
		var s gpumem.Stats
		d.ReadStats(&s)
		return s.Allocation.All.Current
	}
	step := func(ctx context.Context, n int, s *gpumem.Scope) error {
		if live() != 0 {
			t.Fatalf("batch of %d begins with %d buffers alive", n, live())
		}
		return needs(100, 10)(ctx, n, s)
	}
	if _, err := autobatch.Find(context.Background(), autobatch.Config{Device: d}, step); err != nil {
		t.Error(err)
	}
	if got, err := autobatch.Shrink(context.Background(), autobatch.Config{Device: d}, 300, step); err != nil || got != 75 {
		t.Errorf("shrunk to %d, %v, want 75", got, err)
	}
	if _, err := autobatch.Shrink(context.Background(), autobatch.Config{Device: d}, 300, needs(2000, 1)); !errors.Is(err, autobatch.ErrNothingFits) {
		t.Errorf("nothing fits: %v", err)
	}
}

func TestConfig(t *testing.T) {
	d := device(t, 10)
	for want, c := range map[string]autobatch.Config{
		"Device": {},
		"Init":   {Device: d, Init: -1},
		"Trials": {Device: d, Trials: -3},
		"Margin": {Device: d, Margin: math.NaN()},
	} {
		if _, err := autobatch.Find(context.Background(), c, needs(0, 0)); !errors.Is(err, gpumem.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for total := range 200 {
		for most := -1; most < 70; most++ {
			parts := autobatch.Split(total, most)
			at, weight, least, largest := 0, 0.0, math.MaxInt, 0
			for _, p := range parts {
				if p.Start != at {
					t.Fatalf("Split(%d, %d): a part begins at %d, want %d", total, most, p.Start, at)
				}
				at += p.Size
				weight += p.Weight
				least, largest = min(least, p.Size), max(largest, p.Size)
			}
			limit := max(most, 1)
			fewest := (total + limit - 1) / limit
			if at != total || len(parts) != fewest || total > 0 && (largest > limit || largest-least > 1 || math.Abs(weight-1) > 1e-9) {
				t.Fatalf("Split(%d, %d): %+v", total, most, parts)
			}
		}
	}
}
