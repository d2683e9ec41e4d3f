// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

func TestKeys(t *testing.T) {
	d, _ := open(t, simdrv.Config{}, gpumem.WithPolicy(gpumem.PolicyPyTorch), gpumem.WithConf("max_split_size_mb:32"))
	a, b := alloc(t, d, 100), alloc(t, d, 40*mib)
	s := stats(d)
	keys := s.Keys()
	if len(keys) != 9*3*4+2*4+7 {
		t.Errorf("%d keys", len(keys))
	}
	for key, want := range map[string]int64{
		"allocation.all.current": 2, "allocation.small_pool.peak": 1, "allocated_bytes.all.current": 512 + 40*mib,
		"requested_bytes.small_pool.current": 100, "reserved_bytes.all.current": 42 * mib, "segment.large_pool.allocated": 1,
		"inactive_split.small_pool.current": 1, "inactive_split_bytes.all.current": 2*mib - 512,
		"oversize_allocations.current": 1, "oversize_segments.current": 1, "num_device_alloc": 2, "max_split_size": 32 * mib,
	} {
		if got, ok := keys[key]; !ok || got != want {
			t.Errorf("%s is %d (%v), want %d", key, got, ok, want)
		}
	}
	closeAll(t, a, b)
}

func TestSummaryLayout(t *testing.T) {
	d, _ := open(t, simdrv.Config{Ordinal: 1}, gpumem.WithPolicy(gpumem.PolicyPyTorch))
	a := alloc(t, d, 3*mib)
	closeAll(t, alloc(t, d, 1000))
	var text, short strings.Builder
	if err := d.Summary(&text, false); err != nil {
		t.Fatal(err)
	}
	if err := d.Summary(&short, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i, l := range lines {
		if len(l) != 77 || l[0] != '|' || l[76] != '|' {
			t.Errorf("line %d is not 75 columns between bars: %q", i, l)
		}
	}
	for i, want := range map[int]string{
		1: "|                  PyTorch CUDA memory summary, device ID 1                 |",
		3: "|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |",
		5: "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |",
		7: "| Allocated memory      |   3072 KiB |   3073 KiB |   3073 KiB |   1024 B   |",
		9: "|       from small pool |      0 KiB |      1 KiB |      1 KiB |   1024 B   |",
	} {
		if lines[i] != want {
			t.Errorf("line %d is\n%s, want\n%s", i, lines[i], want)
		}
	}
	if n := strings.Count(short.String(), "\n"); n != 6+9*2+2*2+1 {
		t.Errorf("the abbreviated summary has %d lines", n)
	}
	closeAll(t, a)
}

func TestFragmentationNumbers(t *testing.T) {
	var zero gpumem.Stats
	if zero.InternalFragmentation() != 0 || zero.ExternalFragmentation() != 0 || zero.Utilization() != 1 {
		t.Error("an empty device is not without fragmentation")
	}
	d, _ := open(t, simdrv.Config{}, gpumem.WithPolicy(gpumem.PolicyPyTorch))
	a, b := alloc(t, d, 5*mib), alloc(t, d, 5*mib)
	closeAll(t, a)
	s := stats(d)
	if got := s.ExternalFragmentation(); got < 0.333 || got > 0.334 {
		t.Errorf("external fragmentation is %v with 5 and 10 MiB free", got)
	}
	if got := s.Utilization(); got != 0.5 {
		t.Errorf("utilisation is %v with 10 of 20 MiB", got)
	}
	if got := s.CachedBytes(); got != 15*mib {
		t.Errorf("%d bytes are cached", got)
	}
	closeAll(t, b)
}

func TestSnapshotIsComplete(t *testing.T) {
	d, _ := open(t, simdrv.Config{}, gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(4))
	a, b, c := alloc(t, d, 3*mib, gpumem.Tag("x")), alloc(t, d, 100), alloc(t, d, 5*mib)
	closeAll(t, a)
	s := d.Snapshot(gpumem.SnapshotOptions{History: true})
	var live int64
	for i, seg := range s.Segments {
		if i > 0 && seg.Addr < s.Segments[i-1].Addr {
			t.Error("segments are out of order")
		}
		at := seg.Addr
		for _, blk := range seg.Blocks {
			if blk.Addr != at {
				t.Errorf("gap before %v", blk.Addr)
			}
			at += gpumem.Ptr(blk.Size)
			if blk.State == gpumem.BlockAllocated {
				live += blk.Requested
				if blk.Site == 0 || blk.ID == 0 || blk.Born.IsZero() {
					t.Errorf("block without origin: %+v", blk)
				}
			}
		}
		if at != seg.Addr+gpumem.Ptr(seg.Size) {
			t.Errorf("segment at %v is not filled", seg.Addr)
		}
	}
	if live != 5*mib+100 {
		t.Errorf("%d live bytes", live)
	}
	if len(s.History) != 4 || s.Dropped == 0 || s.History[3].Action != gpumem.ActionSnapshot {
		t.Errorf("history %v, %d dropped", s.History, s.Dropped)
	}
	if blk, ok := d.Lookup(b.Ptr() + 50); !ok || blk.Addr != b.Ptr() {
		t.Errorf("lookup found %+v", blk)
	}
	if _, ok := d.Lookup(1); ok {
		t.Error("lookup found a foreign address")
	}
	closeAll(t, b, c)
}
