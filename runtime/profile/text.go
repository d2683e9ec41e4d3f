// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// topSites is how many call sites a text report lists.
const topSites = 20

// Totals sums up one device of a snapshot. Sizes are bytes.
type Totals struct {
	Device      int   `json:"device"`
	Reserved    int64 `json:"reserved"`
	Active      int64 `json:"active"`
	Allocated   int64 `json:"allocated"`
	Requested   int64 `json:"requested"`
	LargestFree int64 `json:"largest_free"`
	Segments    int   `json:"segments"`
	Blocks      int   `json:"blocks"` // active ones
	Events      int   `json:"events"`
}

// SumDevices gives the totals of every device that has segments or events.
func SumDevices(s *memviz.Snapshot) []Totals {
	byDevice := map[int]*Totals{}
	get := func(device int) *Totals {
		if byDevice[device] == nil {
			byDevice[device] = &Totals{Device: device}
		}
		return byDevice[device]
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		t := get(g.Device)
		t.Segments++
		t.Reserved += g.TotalSize
		t.Active += g.Active
		t.Allocated += g.Allocated
		t.Requested += g.Requested
		for k := range g.Blocks {
			if g.Blocks[k].State == memviz.StateInactive {
				t.LargestFree = max(t.LargestFree, g.Blocks[k].Size)
			} else {
				t.Blocks++
			}
		}
	}
	for device, events := range s.Traces {
		if len(events) > 0 {
			get(device).Events += len(events)
		}
	}
	out := make([]Totals, 0, len(byDevice))
	for _, t := range byDevice {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Totals) int { return cmp.Compare(a.Device, b.Device) })
	return out
}

// WriteText writes a snapshot for people: each device's totals and the call
// sites that hold most.
func WriteText(w io.Writer, s *memviz.Snapshot) error {
	b := bufio.NewWriter(w)
	totals := SumDevices(s)
	if len(totals) == 0 {
		fmt.Fprintln(b, "no device memory is reserved and no event is recorded")
	}
	for _, t := range totals {
		free := t.Reserved - t.Active
		fmt.Fprintf(b, "device %d: %v allocated in %d blocks, %v active, %v reserved in %d segments\n",
			t.Device, gpumem.Bytes(t.Allocated), t.Blocks, gpumem.Bytes(t.Active), gpumem.Bytes(t.Reserved), t.Segments)
		fmt.Fprintf(b, "  %v free in segments, the largest piece %v; %v lost to rounding; %d events recorded\n",
			gpumem.Bytes(free), gpumem.Bytes(t.LargestFree), gpumem.Bytes(max(t.Active-t.Requested, 0)), t.Events)
	}
	if s.Settings.Dropped > 0 {
		fmt.Fprintf(b, "the oldest %d events are forgotten; open the device with a longer history to keep them\n", s.Settings.Dropped)
	}
	stacks := ByStack(s)
	if len(stacks) > 0 {
		fmt.Fprintf(b, "\n%12s %7s %12s %7s  %s\n", "in use", "blocks", "allocated", "blocks", "call site")
	}
	for i, st := range stacks {
		if i == topSites {
			fmt.Fprintf(b, "… and %d more call sites\n", len(stacks)-topSites)
			break
		}
		fmt.Fprintf(b, "%12v %7d %12v %7d  %s\n", gpumem.Bytes(st.Live.Bytes), st.Live.Count, gpumem.Bytes(st.Alloced.Bytes), st.Alloced.Count, Leaf(st.Frames))
		for _, f := range st.Frames[min(1, len(st.Frames)):] {
			fmt.Fprintf(b, "%43s%s\n", "", Leaf([]memviz.Frame{f}))
		}
	}
	return b.Flush()
}

// ByStack is [Sites] with everything of one call stack and device in one entry;
// the fields that differ among them are zero.
func ByStack(s *memviz.Snapshot) []Site {
	c := &counter{index: map[string]int{}, stacks: map[*memviz.Frame]string{}}
	for _, site := range Sites(s) {
		sum := c.site(Site{Device: site.Device, Frames: site.Frames})
		sum.Live.Count += site.Live.Count
		sum.Live.Bytes += site.Live.Bytes
		sum.Alloced.Count += site.Alloced.Count
		sum.Alloced.Bytes += site.Alloced.Bytes
	}
	slices.SortStableFunc(c.sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Live.Bytes, a.Live.Bytes), cmp.Compare(b.Alloced.Bytes, a.Alloced.Bytes), cmp.Compare(c.key(&a), c.key(&b)))
	})
	return c.sites
}
