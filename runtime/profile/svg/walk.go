// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// maxColumns is how many moments of a trace are drawn; of the events that fall
// into one, the moment with the most bytes in use stands for all.
const maxColumns = plotWidth

// walk replays one device's events.
type walk struct {
	events   []memviz.Event
	keys     []string       // stack keys, by site number
	names    []string       // their innermost frames
	index    map[string]int // stack key -> site number
	shared   map[*memviz.Frame]int
	initial  []held // blocks from before the first event
	reserved int64  // before the first event
	peak     []int64
	peakSum  int64
	end      []int64
}

type held struct {
	addr uint64
	site int
	size int64
}

func newWalk(s *memviz.Snapshot, device int) *walk {
	w := &walk{index: map[string]int{}, shared: map[*memviz.Frame]int{}}
	if device < len(s.Traces) {
		w.events = s.Traces[device]
	}
	w.before(s, device)
	// Once to find who held what at the peak, since that decides the colours.
	w.run(func(_ int, now []int64, sum, _ int64) {
		if sum > w.peakSum || w.peak == nil {
			w.peakSum = sum
			w.peak = append(w.peak[:0], now...)
		}
		w.end = append(w.end[:0], now...)
	})
	return w
}

// site numbers a call stack.
func (w *walk) site(frames []memviz.Frame) int {
	if len(frames) > 0 {
		if i, ok := w.shared[&frames[0]]; ok {
			return i
		}
	}
	key := profile.StackKey(frames)
	i, ok := w.index[key]
	if !ok {
		i = len(w.keys)
		w.index[key] = i
		w.keys = append(w.keys, key)
		w.names = append(w.names, profile.Leaf(frames))
	}
	if len(frames) > 0 {
		w.shared[&frames[0]] = i
	}
	return i
}

// before finds what was there before the first event: the blocks that are freed
// without having been allocated, and those at the end that never were.
func (w *walk) before(s *memviz.Snapshot, device int) {
	born := map[uint64]bool{}
	change := int64(0)
	for i := range w.events {
		e := &w.events[i]
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

// run calls visit before the first event, as number -1, and after each: with
// the bytes that each site holds, their sum and the reserved bytes. now is
// reused between calls and may be shorter than the list of sites.
func (w *walk) run(visit func(i int, now []int64, sum, reserved int64)) {
	live := map[uint64]held{}
	now := make([]int64, len(w.keys), len(w.keys)+64)
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
	for i := range w.events {
		e := &w.events[i]
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

// siteColours gives the sites that matter a colour and the rest a common one.
type siteColours struct {
	of     []int // site number -> band, the last band being the rest
	bands  []string
	legend []legendEntry
	index  map[string]int // stack key -> band
}

type legendEntry struct {
	colour, name string
	peak, end    int64
}

func at(list []int64, i int) int64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

func colour(w *walk) *siteColours {
	order := make([]int, len(w.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(at(w.peak, b), at(w.peak, a)), cmp.Compare(at(w.end, b), at(w.end, a)), cmp.Compare(w.keys[a], w.keys[b]))
	})
	c := &siteColours{of: make([]int, len(w.keys)), index: map[string]int{}}
	rest := legendEntry{colour: otherColour}
	others := 0
	for rank, site := range order {
		peak, end := at(w.peak, site), at(w.end, site)
		if rank < maxColours && (peak > 0 || end > 0) {
			c.of[site] = len(c.bands)
			c.bands = append(c.bands, palette[rank])
			c.legend = append(c.legend, legendEntry{palette[rank], w.names[site], peak, end})
			continue
		}
		c.of[site] = -1
		rest.peak += peak
		rest.end += end
		others++
	}
	for site, band := range c.of {
		if band < 0 {
			c.of[site] = len(c.bands)
		}
		c.index[w.keys[site]] = c.of[site]
	}
	c.bands = append(c.bands, otherColour)
	if others > 0 {
		rest.name = "all others"
		c.legend = append(c.legend, rest)
	}
	return c
}

// timeline is what the curve draws.
type timeline struct {
	columns  []column
	sites    *siteColours
	top      int64 // largest value on the axis' way up
	byTime   bool
	from, to int64 // microseconds, or event numbers
	peak     column
	ooms     []int64 // where on the x axis allocations failed
}

// column is one moment.
type column struct {
	x             int64
	bands         []int64
	sum, reserved int64
}

// timeline folds the events into at most maxColumns moments; nil for fewer than
// two events, of which there is nothing to draw.
func (w *walk) timeline(sites *siteColours) *timeline {
	n := len(w.events)
	if n < 2 {
		return nil
	}
	t := &timeline{sites: sites, from: w.events[0].TimeUS, to: w.events[n-1].TimeUS}
	t.byTime = t.from > 0 && t.to > t.from && slices.IsSortedFunc(w.events, func(a, b memviz.Event) int { return cmp.Compare(a.TimeUS, b.TimeUS) })
	if !t.byTime {
		t.from, t.to = 0, int64(n)
	}
	last := -1
	w.run(func(i int, now []int64, sum, reserved int64) {
		x := int64(i + 1)
		if t.byTime {
			x = w.events[max(i, 0)].TimeUS
		}
		if i >= 0 && w.events[i].Action == memviz.ActionOOM {
			t.ooms = append(t.ooms, x)
		}
		t.top = max(t.top, sum, reserved)
		slot := int((x - t.from) * (maxColumns - 1) / (t.to - t.from))
		switch {
		case slot != last:
			t.columns = append(t.columns, column{x: x})
			last = slot
		case sum < t.columns[len(t.columns)-1].sum && i != n-1:
			return // the moment has been higher
		}
		c := &t.columns[len(t.columns)-1]
		c.sum, c.reserved = sum, reserved
		c.bands = make([]int64, len(sites.bands))
		for site, bytes := range now {
			c.bands[sites.of[site]] += bytes
		}
		if sum > t.peak.sum {
			t.peak = *c
			t.peak.x = x
		}
	})
	return t
}
