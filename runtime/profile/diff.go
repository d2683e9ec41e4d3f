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

// Diff is what changed between two snapshots, by call stack.
type Diff struct {
	Devices []TotalsChange `json:"devices"`
	Sites   []SiteChange   `json:"sites"` // the largest growth first; unchanged ones are left out
}

// TotalsChange has one device's totals of both snapshots.
type TotalsChange struct {
	Before Totals `json:"before"`
	After  Totals `json:"after"`
}

// SiteChange is a call stack whose live blocks changed in number or bytes.
type SiteChange struct {
	Device int            `json:"device"`
	Before Sum            `json:"before"`
	After  Sum            `json:"after"`
	Frames []memviz.Frame `json:"frames"`
}

// NewDiff compares two snapshots. Blocks are counted by device and call stack
// and not matched by address, since addresses are reused; a stack is the same
// if its files, lines and functions are.
func NewDiff(before, after *memviz.Snapshot) *Diff {
	d := &Diff{}
	totals := map[int]*TotalsChange{}
	for _, t := range SumDevices(before) {
		totals[t.Device] = &TotalsChange{Before: t, After: Totals{Device: t.Device}}
	}
	for _, t := range SumDevices(after) {
		if totals[t.Device] == nil {
			totals[t.Device] = &TotalsChange{Before: Totals{Device: t.Device}}
		}
		totals[t.Device].After = t
	}
	for _, t := range totals {
		d.Devices = append(d.Devices, *t)
	}
	slices.SortFunc(d.Devices, func(a, b TotalsChange) int { return cmp.Compare(a.After.Device, b.After.Device) })

	type key struct {
		device int
		stack  string
	}
	sites := map[key]*SiteChange{}
	get := func(s *Site) *SiteChange {
		k := key{s.Device, StackKey(s.Frames)}
		if sites[k] == nil {
			sites[k] = &SiteChange{Device: s.Device, Frames: s.Frames}
		}
		return sites[k]
	}
	for _, s := range ByStack(before) {
		get(&s).Before = s.Live
	}
	for _, s := range ByStack(after) {
		get(&s).After = s.Live
	}
	for _, c := range sites {
		if c.Before != c.After {
			d.Sites = append(d.Sites, *c)
		}
	}
	slices.SortFunc(d.Sites, func(a, b SiteChange) int {
		return cmp.Or(cmp.Compare(b.Bytes(), a.Bytes()), cmp.Compare(b.Count(), a.Count()),
			cmp.Compare(a.Device, b.Device), cmp.Compare(StackKey(a.Frames), StackKey(b.Frames)))
	})
	return d
}

// Bytes is by how much the site's live bytes grew.
func (c *SiteChange) Bytes() int64 { return c.After.Bytes - c.Before.Bytes }

// Count is by how much the number of the site's live blocks grew.
func (c *SiteChange) Count() int64 { return c.After.Count - c.Before.Count }

// WriteText writes the diff for people.
func (d *Diff) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, t := range d.Devices {
		fmt.Fprintf(b, "device %d: allocated %v → %v (%s), reserved %v → %v (%s), blocks %d → %d (%+d)\n", t.After.Device,
			gpumem.Bytes(t.Before.Allocated), gpumem.Bytes(t.After.Allocated), signed(t.After.Allocated-t.Before.Allocated),
			gpumem.Bytes(t.Before.Reserved), gpumem.Bytes(t.After.Reserved), signed(t.After.Reserved-t.Before.Reserved),
			t.Before.Blocks, t.After.Blocks, t.After.Blocks-t.Before.Blocks)
	}
	if len(d.Sites) == 0 {
		fmt.Fprintln(b, "no call site holds more or less than before")
		return b.Flush()
	}
	fmt.Fprintf(b, "\n%12s %7s  %s\n", "bytes", "blocks", "call site")
	for _, c := range d.Sites {
		fmt.Fprintf(b, "%12s %+7d  %s\n", signed(c.Bytes()), c.Count(), Leaf(c.Frames))
		for _, f := range c.Frames[min(1, len(c.Frames)):] {
			fmt.Fprintf(b, "%22s%s\n", "", Leaf([]memviz.Frame{f}))
		}
	}
	return b.Flush()
}

func signed(n int64) string {
	if n < 0 {
		return gpumem.Bytes(n).String()
	}
	return "+" + gpumem.Bytes(n).String()
}
