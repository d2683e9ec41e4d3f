// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
)

// TestFromEntriesRebuildsTheEnd compares what a history says with what the
// allocator that wrote it says.
func TestFromEntriesRebuildsTheEnd(t *testing.T) {
	for _, conf := range []string{"", "expandable_segments:True"} {
		d := open(t, simdrv.Config{}, gpumem.WithConf(conf), gpumem.WithHistory(100_000))
		for i := range 200 {
			b := activate(t, d, int64(1+i)*7_000)
			if i%3 != 0 {
				mustClose(t, b)
			}
		}
		snap := d.Snapshot(gpumem.SnapshotOptions{History: true})
		got, want := profile.FromEntries(snap.History), profile.Export(snap)
		if err := got.Check(); err != nil {
			t.Fatal(err)
		}
		g, w := profile.SumDevices(got)[0], profile.SumDevices(want)[0]
		// The history doesn't know by how much sizes were rounded beyond 512 bytes.
		if g.Reserved != w.Reserved || g.Blocks != w.Blocks || g.Requested != w.Requested || g.Allocated > w.Allocated {
			t.Errorf("%q: rebuilt  %+v\nallocator %+v", conf, g, w)
		}
		if a, b := profile.ByStack(got), profile.ByStack(want); len(a) != len(b) || a[0].Live.Count != b[0].Live.Count || a[0].Alloced.Count != b[0].Alloced.Count {
			t.Errorf("%q: sites differ: %+v and %+v", conf, a, b)
		}
	}
}

func TestFromEntriesSurvivesContradictions(t *testing.T) {
	const a = gpumem.ActionAlloc
	for name, entries := range map[string][]gpumem.Entry{
		"overlapping blocks":     {{Action: a, Addr: 4096, Size: 10000}, {Action: a, Addr: 8192, Size: 10}},
		"overlapping segments":   {{Action: gpumem.ActionSegmentAlloc, Addr: 4096, Size: 8192}, {Action: gpumem.ActionSegmentAlloc, Addr: 8192, Size: 8192}, {Action: a, Addr: 12000, Size: 1}},
		"block over the end":     {{Action: gpumem.ActionSegmentAlloc, Addr: 4096, Size: 1024}, {Action: a, Addr: 4096, Size: 4096}},
		"unmapped twice":         {{Action: gpumem.ActionSegmentMap, Addr: 4096, Size: 512}, {Action: gpumem.ActionSegmentUnmap, Addr: 4096, Size: 512}, {Action: gpumem.ActionSegmentUnmap, Addr: 4096, Size: 512}},
		"freed before its birth": {{Action: gpumem.ActionFreeCompleted, Addr: 77, Size: 5}},
	} {
		s := profile.FromEntries(entries)
		var out bytes.Buffer
		if err := profile.WriteText(&out, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Check(); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: an error of several lines: %v", name, err)
		}
	}
}

func TestWriteFlame(t *testing.T) {
	d := open(t, simdrv.Config{}, gpumem.WithPolicy(gpumem.PolicyPyTorch))
	for range 2 {
		loadBatch(t, d, mib)
	}
	var out bytes.Buffer
	if err := profile.WriteFlame(&out, profile.Take(d)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "stream_0;active_allocated;") || !strings.HasSuffix(lines[0], fmt.Sprintf(":profile_test.loadBatch %d", 2*mib)) {
		t.Errorf("got\n%s", out.String())
	}
}

func TestTopAtPeak(t *testing.T) {
	d := open(t, simdrv.Config{})
	big := activate(t, d, 8*mib)
	loadBatch(t, d, mib)
	mustClose(t, big)
	loadBatch(t, d, mib)
	w := profile.NewWalk(profile.Take(d), 0)
	top := w.TopAtPeak(5)
	if w.PeakSum != 9*mib || len(top) != 2 || top[0].Bytes != 8*mib || !strings.HasSuffix(top[0].Name, "activate") || top[1].Bytes != mib {
		t.Errorf("the peak is %d: %+v", w.PeakSum, top)
	}
	if top := w.TopAtPeak(1); len(top) != 1 {
		t.Errorf("one site asked for: %+v", top)
	}
}
