// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// Walk replays the events of one device of a snapshot. Sites are call stacks,
// numbered in the order in which they appear.
type Walk struct {
	Events  []memviz.Event
	Keys    []string // StackKey of each site
	Names   []string // Leaf of each site
	Peak    []int64  // bytes that each site held when most were held in all
	PeakSum int64    // their sum
	End     []int64  // bytes that each site holds after the last event

	index    map[string]int // stack key -> site number
	shared   map[*memviz.Frame]int
	initial  []held // blocks from before the first event
	reserved int64  // before the first event
}

type held struct {
	addr uint64
	site int
	size int64
}

// NewWalk prepares the walk over a device's events and finds the peak.
func NewWalk(s *memviz.Snapshot, device int) *Walk {
	w := &Walk{index: map[string]int{}, shared: map[*memviz.Frame]int{}}
	if device >= 0 && device < len(s.Traces) {
		w.Events = s.Traces[device]
	}
	w.before(s, device)
	// Once to find who held what at the peak, which is what everybody asks first.
	w.Run(func(_ int, now []int64, sum, _ int64) {
		if sum > w.PeakSum || w.Peak == nil {
			w.PeakSum = sum
			w.Peak = append(w.Peak[:0], now...)
		}
		w.End = append(w.End[:0], now...)
	})
	return w
}

// site numbers a call stack.
func (w *Walk) site(frames []memviz.Frame) int {
	if len(frames) > 0 {
		if i, ok := w.shared[&frames[0]]; ok {
			return i
		}
	}
	key := StackKey(frames)
	i, ok := w.index[key]
	if !ok {
		i = len(w.Keys)
		w.index[key] = i
		w.Keys = append(w.Keys, key)
		w.Names = append(w.Names, Leaf(frames))
	}
	if len(frames) > 0 {
		w.shared[&frames[0]] = i
	}
	return i
}

// before finds what was there before the first event: the blocks that are freed
// without having been allocated, and those at the end that never were.
func (w *Walk) before(s *memviz.Snapshot, device int) {
	born := map[uint64]bool{}
	change := int64(0)
	for i := range w.Events {
		e := &w.Events[i]
		switch e.Action {
		case memviz.ActionAlloc:
			born[e.Addr] = true
		case memviz.ActionFreeCompleted:
			if !born[e.Addr] {
				w.initial = append(w.initial, held{e.Addr, w.site(e.Frames), e.Size})
			}
			delete(born, e.Addr)
		default:
			change += reservedBy(e)
		}
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		if g.Device != device {
			continue
		}
		w.reserved += g.TotalSize
		for k := range g.Blocks {
			b := &g.Blocks[k]
			if b.State != memviz.StateInactive && !born[b.Address] {
				w.initial = append(w.initial, held{b.Address, w.site(b.Frames), b.Requested})
			}
		}
	}
	w.reserved = max(w.reserved-change, 0)
}

func reservedBy(e *memviz.Event) int64 {
	switch e.Action {
	case memviz.ActionSegmentAlloc, memviz.ActionSegmentMap:
		return e.Size
	case memviz.ActionSegmentFree, memviz.ActionSegmentUnmap:
		return -e.Size
	}
	return 0
}

// Run calls visit before the first event, as number -1, and after each: with
// the bytes that each site holds, their sum and the reserved bytes. now is
// reused between calls and may be shorter than the list of sites.
func (w *Walk) Run(visit func(i int, now []int64, sum, reserved int64)) {
	live := map[uint64]held{}
	now := make([]int64, len(w.Keys), len(w.Keys)+64)
	sum, reserved := int64(0), w.reserved
	for _, h := range w.initial {
		if old, ok := live[h.addr]; ok { // two lives of one address before the trace can't be told apart
			now[old.site] -= old.size
			sum -= old.size
		}
		live[h.addr] = h
		now[h.site] += h.size
		sum += h.size
	}
	visit(-1, now, sum, reserved)
	for i := range w.Events {
		e := &w.Events[i]
		switch e.Action {
		case memviz.ActionAlloc:
			h := held{e.Addr, w.site(e.Frames), e.Size}
			for len(now) <= h.site {
				now = append(now, 0)
			}
			live[e.Addr] = h
			now[h.site] += h.size
			sum += h.size
		case memviz.ActionFreeCompleted:
			if h, ok := live[e.Addr]; ok {
				delete(live, e.Addr)
				now[h.site] -= h.size
				sum -= h.size
			}
		default:
			reserved += reservedBy(e)
		}
		visit(i, now, sum, reserved)
	}
}

// SiteBytes is a call site, by its innermost frame, and its bytes.
type SiteBytes struct {
	Name  string
	Bytes int64
}

// TopAtPeak gives the n sites that held most at the peak.
func (w *Walk) TopAtPeak(n int) []SiteBytes {
	var out []SiteBytes
	for i, bytes := range w.Peak {
		if bytes > 0 {
			out = append(out, SiteBytes{w.Names[i], bytes})
		}
	}
	slices.SortFunc(out, func(a, b SiteBytes) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(n, len(out))]
}
