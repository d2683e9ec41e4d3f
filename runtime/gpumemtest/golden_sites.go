// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// siteBudget is what one function did: bytes that it asked for and that were
// alive at the peak and at the end, and how often it asked.
type siteBudget struct{ peak, live, allocs int64 }

// diffSites is how many functions a message names.
const diffSites = 5

// siteBudgets sums up by function, without lines, so that a budget file does
// not change with every edit above. It is nil where the device has forgotten
// events: the peak would be that of the rest.
func siteBudgets(d *gpumem.Device) map[string]siteBudget {
	s := profile.Take(d)
	if s.Settings.Dropped > 0 {
		return nil
	}
	ordinal := max(d.Info().Ordinal, 0)
	w := profile.NewWalk(s, ordinal)
	out := map[string]siteBudget{}
	add := func(name string, b siteBudget) {
		o := out[name]
		out[name] = siteBudget{o.peak + b.peak, o.live + b.live, o.allocs + b.allocs}
	}
	for i, key := range w.Keys {
		var b siteBudget
		if i < len(w.Peak) {
			b.peak = w.Peak[i]
		}
		if i < len(w.End) {
			b.live = w.End[i]
		}
		add(leafFunction(key), b)
	}
	for i := range w.Events {
		if e := &w.Events[i]; e.Action == memviz.ActionAlloc {
			add(leafFunction(profile.StackKey(e.Frames)), siteBudget{allocs: 1})
		}
	}
	return out
}

// leafFunction takes the function's name out of the first line of a stack,
// "file:line name".
func leafFunction(key string) string {
	line, _, _ := strings.Cut(key, "\n")
	_, name, ok := strings.Cut(line, " ")
	if !ok {
		return "unknown"
	}
	return name
}

// writeSites writes the functions, those that held most at the peak first.
func writeSites(w io.Writer, sites map[string]siteBudget) {
	if len(sites) == 0 {
		return
	}
	fmt.Fprintf(w, "\n# for the diff, not checked: bytes at the peak, bytes at the end, allocations, function\n")
	names := slices.SortedFunc(maps.Keys(sites), func(a, b string) int {
		return cmp.Or(cmp.Compare(sites[b].peak, sites[a].peak), cmp.Compare(a, b))
	})
	for _, name := range names {
		s := sites[name]
		fmt.Fprintf(w, "site %d %d %d %s\n", s.peak, s.live, s.allocs, name)
	}
}

// readSite reads a line of writeSites without its first word.
func readSite(text string) (name string, s siteBudget, ok bool) {
	fields := strings.SplitN(text, " ", 4)
	if len(fields) != 4 {
		return "", s, false
	}
	for i, v := range []*int64{&s.peak, &s.live, &s.allocs} {
		if _, err := fmt.Sscanf(fields[i], "%d", v); err != nil {
			return "", s, false
		}
	}
	return fields[3], s, true
}

// grown lists the functions that account for more of one quantity than before.
func grown(before, now map[string]siteBudget, quantity func(siteBudget) int64, text func(int64) string) string {
	type change struct {
		name     string
		from, to int64
	}
	var list []change
	for name, s := range now {
		if from, to := quantity(before[name]), quantity(s); to > from {
			list = append(list, change{name, from, to})
		}
	}
	slices.SortFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(b.to-b.from, a.to-a.from), cmp.Compare(a.name, b.name))
	})
	var b strings.Builder
	for i, c := range list {
		if i == diffSites {
			fmt.Fprintf(&b, "\n\t… and %d more", len(list)-diffSites)
			break
		}
		fmt.Fprintf(&b, "\n\t+%s %s (%s → %s)", text(c.to-c.from), c.name, text(c.from), text(c.to))
	}
	return b.String()
}

// explain says which functions a budget was exceeded by, as far as that is
// known.
func explain(d *gpumem.Device, b budget, before map[string]siteBudget) string {
	bytes := func(n int64) string { return gpumem.Bytes(n).String() }
	number := func(n int64) string { return fmt.Sprint(n) }
	now := siteBudgets(d)
	diff := ""
	if before != nil && now != nil {
		switch b.name {
		case "peak_allocated_bytes", "peak_reserved_bytes":
			diff = grown(before, now, func(s siteBudget) int64 { return s.peak }, bytes)
		case "live_bytes", "live_allocations":
			diff = grown(before, now, func(s siteBudget) int64 { return s.live }, bytes)
		case "allocations":
			diff = grown(before, now, func(s siteBudget) int64 { return s.allocs }, number)
		}
	}
	if diff == "" && strings.HasPrefix(b.name, "peak_") {
		return peakSites(d)
	}
	return diff
}
