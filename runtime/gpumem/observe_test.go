// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

func openSim(t *testing.T, cfg simdrv.Config, opts ...gpumem.Option) *gpumem.Device {
	t.Helper()
	d, err := gpumem.Open(simdrv.New(cfg), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestOnAllocSeesEveryPath counts what an observer is told: each miss, some of
// the hits, and nothing once it is removed.
func TestOnAllocSeesEveryPath(t *testing.T) {
	d := openSim(t, simdrv.Config{Capacity: 64 << 20, NoRaceCheck: true})
	seen := map[gpumem.AllocPath]int{}
	remove := d.OnAlloc(func(p gpumem.AllocPath, took time.Duration) {
		if took < 0 {
			t.Errorf("path %v took %v", p, took)
		}
		seen[p]++
	})
	allocClose := func(n int64) {
		t.Helper()
		b, err := d.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 * gpumem.HitSample {
		allocClose(32 << 20)
	}
	if seen[gpumem.PathDriver] != 1 {
		t.Errorf("%d driver paths, want the first allocation alone", seen[gpumem.PathDriver])
	}
	// The mean is 100; one in a billion runs is outside these.
	if n := seen[gpumem.PathHit]; n < 45 || n > 180 {
		t.Errorf("%d hits seen of %d, want about 100", n, 100*gpumem.HitSample-1)
	}
	allocClose(60 << 20) // only without the 32 MiB in the cache
	if seen[gpumem.PathRetry]+seen[gpumem.PathDriver] != 2 {
		t.Errorf("paths %v, want a second miss", seen)
	}
	if _, err := d.Alloc(100 << 20); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Fatalf("100 MiB of 64: %v", err)
	}
	if seen[gpumem.PathRetry] == 0 {
		t.Error("a failed allocation is not seen as a retry")
	}
	remove()
	before := seen[gpumem.PathHit]
	for range 20 * gpumem.HitSample {
		allocClose(32 << 20)
	}
	if seen[gpumem.PathHit] != before {
		t.Error("a removed observer is still called")
	}
	for p, want := range map[gpumem.AllocPath]string{gpumem.PathHit: "hit", gpumem.PathDriver: "driver", gpumem.PathRetry: "retry"} {
		if p.String() != want {
			t.Errorf("path %d is %q, want %q", p, p, want)
		}
	}
}

type lister struct {
	list []gpumem.Process
	err  error
}

func (l lister) Processes() ([]gpumem.Process, error) { return l.list, l.err }

// TestProcessListerSpeaksInReports checks that a failed allocation names the
// other processes, and that a lister that fails spoils nothing.
func TestProcessListerSpeaksInReports(t *testing.T) {
	d := openSim(t, simdrv.Config{Capacity: 64 << 20, Foreign: 60 << 20})
	d.SetProcessLister(lister{list: []gpumem.Process{{PID: 4711, Name: "python3", Used: 60 << 20}, {PID: 12, Used: -1}}})
	fail := func() *gpumem.OOMError {
		t.Helper()
		_, err := d.Alloc(32 << 20)
		var oom *gpumem.OOMError
		if !errors.As(err, &oom) {
			t.Fatalf("got %v, want an OOMError", err)
		}
		return oom
	}
	oom := fail()
	if oom.Kind != gpumem.OOMForeign {
		t.Errorf("cause %v, want foreign", oom.Kind)
	}
	for _, want := range []string{"process 4711 (python3) uses 60.00 MiB\n", "process 12 uses memory, it is not known how much\n"} {
		if !strings.Contains(oom.Report(), want) {
			t.Errorf("report has no %q:\n%s", want, oom.Report())
		}
	}
	d.SetProcessLister(lister{err: errors.New("no driver")})
	if oom := fail(); len(oom.Processes) != 0 {
		t.Errorf("processes of a lister that failed: %v", oom.Processes)
	}
	d.SetProcessLister(nil)
	if oom := fail(); len(oom.Processes) != 0 {
		t.Errorf("processes without a lister: %v", oom.Processes)
	}
}

// TestEstimateFitAgreesWithAlloc asks before each of many allocations on full
// and fragmented devices; the answer must be what then happens.
func TestEstimateFitAgreesWithAlloc(t *testing.T) {
	const mib = 1 << 20
	for name, opts := range map[string][]gpumem.Option{
		"best":       nil,
		"pytorch":    {gpumem.WithPolicy(gpumem.PolicyPyTorch)},
		"limit":      {gpumem.WithLimit(200 * mib)},
		"expandable": {gpumem.WithConf("expandable_segments:True")},
		"no cache":   {gpumem.WithNoCache()},
	} {
		t.Run(name, func(t *testing.T) {
			d := openSim(t, simdrv.Config{Capacity: 256 * mib, NoRaceCheck: true}, append(opts, gpumem.WithPressureGC(false))...)
			var live []gpumem.Buffer
			state := uint64(1)
			next := func(n uint64) uint64 { // splitmix64
				state += 0x9e3779b97f4a7c15
				z := state
				z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
				z = (z ^ z>>27) * 0x94d049bb133111eb
				return (z ^ z>>31) % n
			}
			agree, refused, trims, wrong := 0, 0, 0, 0
			for i := range 1500 {
				if len(live) > 0 && next(100) < 45 {
					k := int(next(uint64(len(live))))
					if err := live[k].Close(); err != nil {
						t.Fatal(err)
					}
					live[k] = live[len(live)-1]
					live = live[:len(live)-1]
					continue
				}
				n := int64(1) << (10 + next(17)) // 1 KiB to 64 MiB
				n += int64(next(uint64(n)))
				f, err := d.EstimateFit(n)
				if err != nil {
					t.Fatal(err)
				}
				b, err := d.Alloc(n)
				if err == nil {
					live = append(live, b)
				} else if !errors.Is(err, gpumem.ErrOutOfMemory) {
					t.Fatal(err)
				}
				if f.OK != (err == nil) {
					if name != "expandable" {
						t.Fatalf("step %d: %d bytes: estimated %+v, then: %v", i, n, f, err)
					}
					wrong++
					t.Logf("step %d: %d bytes: estimated %+v, then: %v", i, n, f, err)
				}
				agree++
				if f.Trim {
					trims++
				}
				if err != nil {
					refused++
				}
			}
			for _, b := range live {
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}
			if wrong > agree/100 { // by a page, where pages must be unmapped first
				t.Errorf("%d of %d answers are wrong", wrong, agree)
			}
			if refused < 10 || agree < 500 {
				t.Errorf("only %d answers and %d refusals: the test says little", agree, refused)
			}
			t.Logf("%d answers, %d refusals, %d after a trim", agree, refused, trims)
		})
	}
	d := openSim(t, simdrv.Config{})
	if _, err := d.EstimateFit(-1); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("estimate of -1: %v", err)
	}
}

// BenchmarkObservedHit is a pair of a hit and a close with an observer, to be
// compared with BenchmarkAllocFreeHit.
func BenchmarkObservedHit(b *testing.B) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{NoRaceCheck: true}))
	if err != nil {
		b.Fatal(err)
	}
	seen := 0
	d.OnAlloc(func(gpumem.AllocPath, time.Duration) { seen++ })
	b.ReportAllocs()
	for b.Loop() {
		buf, err := d.Alloc(4096)
		if err != nil {
			b.Fatal(err)
		}
		if err := buf.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if seen == 0 {
		b.Error("nothing was observed")
	}
}
