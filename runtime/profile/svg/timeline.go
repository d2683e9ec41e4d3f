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

func colour(w *profile.Walk) *siteColours {
	order := make([]int, len(w.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(at(w.Peak, b), at(w.Peak, a)), cmp.Compare(at(w.End, b), at(w.End, a)), cmp.Compare(w.Keys[a], w.Keys[b]))
	})
	c := &siteColours{of: make([]int, len(w.Keys)), index: map[string]int{}}
	rest := legendEntry{colour: otherColour}
	others := 0
	for rank, site := range order {
		peak, end := at(w.Peak, site), at(w.End, site)
		if rank < maxColours && (peak > 0 || end > 0) {
			c.of[site] = len(c.bands)
			c.bands = append(c.bands, palette[rank])
			c.legend = append(c.legend, legendEntry{palette[rank], w.Names[site], peak, end})
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
		c.index[w.Keys[site]] = c.of[site]
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

// newTimeline folds the events into at most maxColumns moments; nil for fewer than
// two events, of which there is nothing to draw.
func newTimeline(w *profile.Walk, sites *siteColours) *timeline {
	n := len(w.Events)
	if n < 2 {
		return nil
	}
	t := &timeline{sites: sites, from: w.Events[0].TimeUS, to: w.Events[n-1].TimeUS}
	t.byTime = t.from > 0 && t.to > t.from && slices.IsSortedFunc(w.Events, func(a, b memviz.Event) int { return cmp.Compare(a.TimeUS, b.TimeUS) })
	if !t.byTime {
		t.from, t.to = 0, int64(n)
	}
	last := -1
	w.Run(func(i int, now []int64, sum, reserved int64) {
		x := int64(i + 1)
		if t.byTime {
			x = w.Events[max(i, 0)].TimeUS
		}
		if i >= 0 && w.Events[i].Action == memviz.ActionOOM {
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
