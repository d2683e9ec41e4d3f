// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

const mib = int64(1) << 20

// history builds recordings by hand, as PyTorch's recorder would write them.
type history struct {
	t    Trace
	next gpumem.Ptr
}

func newHistory(conf string, limit int64) *history {
	return &history{t: Trace{Name: "hand", Conf: conf, Limit: limit}, next: 0x7f0000000000}
}

func (h *history) add(a gpumem.Action, p gpumem.Ptr, n int64) {
	h.t.Events = append(h.t.Events, gpumem.Entry{Action: a, Addr: p, Size: n})
}

// segment is a driver call; alloc at an address in it is up to the caller.
func (h *history) segment(n int64) gpumem.Ptr {
	p := h.next
	h.next += gpumem.Ptr(n + 64*mib)
	h.add(gpumem.ActionSegmentAlloc, p, n)
	return p
}

func (h *history) alloc(p gpumem.Ptr, n int64) { h.add(gpumem.ActionAlloc, p, n) }

func (h *history) free(p gpumem.Ptr, n int64) {
	h.add(gpumem.ActionFreeRequested, p, n)
	h.add(gpumem.ActionFreeCompleted, p, n)
}

func (h *history) run(t *testing.T) *Result {
	t.Helper()
	r, err := Run(&h.t, Options{Policy: gpumem.PolicyPyTorch})
	if err != nil {
		t.Fatal(err)
	}
	if r.Moved != 0 {
		t.Errorf("%d buffers have another address than expected", r.Moved)
	}
	return r
}

func wantCalls(t *testing.T, r *Result, allocs, frees, retries int64) {
	t.Helper()
	if r.DriverAllocs != allocs || r.DriverFrees != frees || r.AllocRetries != retries {
		t.Errorf("%d driver allocations, %d frees, %d retries, want %d, %d, %d", r.DriverAllocs, r.DriverFrees, r.AllocRetries, allocs, frees, retries)
	}
}

// TestEmptyCache has a program that empties the cache itself: without a limit
// nothing else explains segments that go back.
func TestEmptyCache(t *testing.T) {
	h := newHistory("", 0)
	p := h.segment(20 * mib)
	h.alloc(p, 5*mib)
	h.free(p, 5*mib)
	h.add(gpumem.ActionSegmentFree, p, 20*mib)
	q := h.segment(20 * mib)
	h.alloc(q, 5*mib)
	h.free(q, 5*mib)
	h.add(gpumem.ActionSegmentFree, q, 20*mib)
	r := h.segment(2 * mib)
	h.alloc(r, 100)
	h.free(r, 100)
	wantCalls(t, h.run(t), 3, 2, 0)
}

// TestRetryAtTheLimit has a miss that exceeds the limit, so that the allocator
// waits for the streams, gives its cache back and tries again.
func TestRetryAtTheLimit(t *testing.T) {
	h := newHistory("", 64*mib)
	p := h.segment(40 * mib)
	h.alloc(p, 40*mib)
	h.add(gpumem.ActionFreeRequested, p, 40*mib) // still used on another stream
	h.add(gpumem.ActionFreeCompleted, p, 40*mib) // found by the wait for all streams
	h.add(gpumem.ActionSegmentFree, p, 40*mib)
	q := h.segment(50 * mib)
	h.alloc(q, 50*mib)
	h.free(q, 50*mib)
	// The completion follows its request directly, so it counts as done.
	wantCalls(t, h.run(t), 2, 1, 1)
}

// TestLateCompletion keeps memory out of reach until the history says that the
// other stream is done with it.
func TestLateCompletion(t *testing.T) {
	h := newHistory("", 0)
	p := h.segment(30 * mib)
	h.alloc(p, 30*mib)
	h.add(gpumem.ActionFreeRequested, p, 30*mib)
	q := h.segment(30 * mib)
	h.alloc(q, 30*mib) // p is not free yet
	h.add(gpumem.ActionFreeCompleted, p, 30*mib)
	h.alloc(p, 30*mib)
	r := h.run(t)
	wantCalls(t, r, 2, 0, 0)
	if r.PeakActive != 60*mib {
		t.Errorf("peak active is %d", r.PeakActive)
	}
}

// TestOversizeBlocks follows max_split_size: blocks from there on are neither
// split nor given to small requests, and are the first to go back.
func TestOversizeBlocks(t *testing.T) {
	h := newHistory("max_split_size_mb:32", 128*mib)
	p := h.segment(60 * mib)
	h.alloc(p, 60*mib)
	h.free(p, 60*mib)
	h.alloc(p, 45*mib) // within 20 MiB: the whole block is taken, not split
	h.free(p, 45*mib)
	q := h.segment(36 * mib)
	h.alloc(q, 36*mib) // 60 is too large for 36
	s := h.segment(30 * mib)
	h.alloc(s, 30*mib) // a small request takes no oversize block
	h.add(gpumem.ActionSegmentFree, p, 60*mib)
	u := h.segment(40 * mib)
	h.alloc(u, 40*mib) // over the limit: the free oversize block is enough
	wantCalls(t, h.run(t), 4, 1, 0)
}

// TestCollector gives back the segments that were free longest once a miss
// finds more than the threshold reserved.
func TestCollector(t *testing.T) {
	h := newHistory("garbage_collection_threshold:0.5", 100*mib)
	p, q := h.segment(30*mib), gpumem.Ptr(0)
	h.alloc(p, 30*mib)
	q = h.segment(30 * mib)
	h.alloc(q, 30*mib)
	h.free(p, 30*mib)
	h.alloc(p, 30*mib) // searches make what is free older
	h.free(p, 30*mib)
	h.free(q, 30*mib)
	h.alloc(p, 30*mib)
	h.free(p, 30*mib)
	h.add(gpumem.ActionSegmentFree, q, 30*mib) // free for longer than p
	s := h.segment(32 * mib)
	h.alloc(s, 32*mib)
	wantCalls(t, h.run(t), 3, 1, 0)
}

// TestOOMEvent has a request that failed: ours fails there too, gives back what
// PyTorch gave back, and goes on.
func TestOOMEvent(t *testing.T) {
	h := newHistory("", 64*mib)
	p := h.segment(20 * mib)
	h.alloc(p, 5*mib)
	h.free(p, 5*mib)
	q := h.segment(40 * mib)
	h.alloc(q, 40*mib)
	h.add(gpumem.ActionSegmentFree, p, 20*mib)
	h.add(gpumem.ActionOOM, 1<<30, 50*mib)
	h.free(q, 40*mib)
	h.alloc(q, 40*mib)
	r := h.run(t)
	wantCalls(t, r, 2, 1, 1)
	if r.OOMs != 1 {
		t.Errorf("%d failures", r.OOMs)
	}
}

// TestFullDevice has misses that the device itself refused: one that a retry
// saved, and one that failed.
func TestFullDevice(t *testing.T) {
	h := newHistory("", 0)
	p := h.segment(40 * mib)
	h.alloc(p, 40*mib)
	h.free(p, 40*mib)
	h.add(gpumem.ActionSegmentFree, p, 40*mib)
	q := h.segment(50 * mib)
	h.alloc(q, 50*mib)
	s := h.segment(2 * mib)
	h.alloc(s, 100)
	h.free(s, 100)
	h.add(gpumem.ActionSegmentFree, s, 2*mib)
	h.add(gpumem.ActionOOM, 1<<20, 60*mib)
	h.free(q, 50*mib)
	h.t.Recorded = &Recorded{Retries: 2}
	r := h.run(t)
	wantCalls(t, r, 3, 2, 2)
	if r.OOMs != 1 {
		t.Errorf("%d failures", r.OOMs)
	}
}

func TestSettingsBeatConf(t *testing.T) {
	text := `{"name": "s", "conf": "", "settings": {"max_split_size": 41943040, "garbage_collection_threshold": 0.25,
		"expandable_segments": true, "roundup_power2_divisions": {"1": 0, "4": 8}}, "events": []}`
	tr, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := tr.conf()
	if err != nil || c.MaxSplitSize != 40*mib || c.GCThreshold != 0.25 || !c.Expandable || c.RoundupDivisions[2] != 8 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCurve draws a small picture.
func TestCurve(t *testing.T) {
	tr := traces(t)["two_streams"]
	s, err := Measure(tr, SegmentsPlain, []float64{0.8, 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Best) != 2 || s.Best[0].Utilization <= s.PyTorch.Utilization || s.PyTorch.Calls != 19 {
		t.Errorf("%+v", s)
	}
	var out bytes.Buffer
	if err := Draw(&out, []Panel{{Title: "a < b", Series: []*Series{s}}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "a &lt; b", "two_streams", fmt.Sprintf("PyTorch&#39;s policy: %.3f in 19 calls", s.PyTorch.Utilization)} {
		if !strings.Contains(out.String(), want) && !strings.Contains(out.String(), strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("the picture has no %q", want)
		}
	}
}

// FuzzRead wants no text to do more than fail with one line.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"events": [["alloc", 1, 2, 3], ["free_requested", 1, 2, 3]]}`))
	f.Add([]byte(`{"conf": "expandable_segments:True", "limit": 5, "events": [["segment_map", 1, 2, 3]]}`))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := Read(bytes.NewReader(text))
		if err == nil {
			for _, p := range []gpumem.Policy{gpumem.PolicyBest, gpumem.PolicyPyTorch} {
				if _, err = Run(tr, Options{Policy: p}); err != nil {
					break
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("the error has several lines: %q", err)
		}
	})
}
