// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// FromEntries makes a snapshot of a history alone, such as a recorded trace or
// another project's log: the events, and the segments and blocks that are left
// after the last one. In a history that names no segments each block is taken
// for one, since the viewer draws no block without.
func FromEntries(entries []gpumem.Entry) *memviz.Snapshot {
	if !slices.ContainsFunc(entries, func(e gpumem.Entry) bool {
		return e.Action == gpumem.ActionSegmentAlloc || e.Action == gpumem.ActionSegmentMap
	}) {
		entries = withSegments(entries)
	}
	x := &exporter{out: &memviz.Snapshot{Settings: memviz.NewSettings()}, stacks: map[gpumem.SiteID][]memviz.Frame{}}
	x.events(&gpumem.Snapshot{History: entries}, 0)
	segments, live := map[gpumem.Ptr]memviz.Segment{}, map[gpumem.Ptr]gpumem.Entry{}
	for _, e := range entries {
		switch e.Action {
		case gpumem.ActionAlloc:
			live[e.Addr] = e
		case gpumem.ActionFreeCompleted:
			delete(live, e.Addr)
		case gpumem.ActionSegmentAlloc, gpumem.ActionSegmentMap:
			segments[e.Addr] = memviz.Segment{Address: uint64(e.Addr), TotalSize: e.Size, Stream: uint64(e.Stream), PoolID: pool(e.Pool),
				Expandable: e.Action == gpumem.ActionSegmentMap, Frames: x.frames(e.Site)}
		case gpumem.ActionSegmentFree, gpumem.ActionSegmentUnmap:
			unmap(segments, e)
		}
	}
	list := joined(slices.SortedFunc(maps.Values(segments), func(a, b memviz.Segment) int { return cmp.Compare(a.Address, b.Address) }))
	blocks := slices.SortedFunc(maps.Values(live), func(a, b gpumem.Entry) int { return cmp.Compare(a.Addr, b.Addr) })
	at := 0
	for _, e := range blocks {
		for at < len(list) && list[at].Address+uint64(list[at].TotalSize) <= uint64(e.Addr) {
			at++
		}
		if at < len(list) && list[at].Address <= uint64(e.Addr) {
			x.place(&list[at], e)
			continue
		}
		own := memviz.Segment{Address: uint64(e.Addr), TotalSize: rounded(e.Size), Stream: uint64(e.Stream), PoolID: pool(e.Pool)}
		x.place(&own, e)
		list = slices.Insert(list, at, own)
		at++
	}
	for i := range list {
		finish(&list[i])
	}
	x.out.Segments = list
	return x.out
}

// withSegments puts a segment around the life of every block.
func withSegments(entries []gpumem.Entry) []gpumem.Entry {
	out := make([]gpumem.Entry, 0, 2*len(entries))
	live := map[gpumem.Ptr]int64{}
	for _, e := range entries {
		seg := e
		switch e.Action {
		case gpumem.ActionAlloc:
			seg.Action, seg.Size = gpumem.ActionSegmentAlloc, rounded(e.Size)
			live[e.Addr] = seg.Size
			out = append(out, seg, e)
		case gpumem.ActionFreeCompleted:
			out = append(out, e)
			if size, ok := live[e.Addr]; ok {
				seg.Action, seg.Size = gpumem.ActionSegmentFree, size
				delete(live, e.Addr)
				out = append(out, seg)
			}
		default:
			out = append(out, e)
		}
	}
	return out
}

func rounded(n int64) int64 { return (max(n, 1) + minBlock - 1) / minBlock * minBlock }

// unmap takes a range away; it may cover several that were mapped one by one.
func unmap(segments map[gpumem.Ptr]memviz.Segment, e gpumem.Entry) {
	for addr := e.Addr; addr < e.Addr+gpumem.Ptr(e.Size); {
		g, ok := segments[addr]
		if !ok || g.TotalSize <= 0 {
			return // mapped before the history began
		}
		delete(segments, addr)
		addr += gpumem.Ptr(g.TotalSize)
	}
}

// joined makes one segment of mapped ranges that touch, since blocks lie across
// their borders.
func joined(list []memviz.Segment) (out []memviz.Segment) {
	for _, g := range list {
		if n := len(out); n > 0 {
			last := &out[n-1]
			end := last.Address + uint64(last.TotalSize)
			if last.Expandable && g.Expandable && end == g.Address && last.Stream == g.Stream {
				last.TotalSize += g.TotalSize
				continue
			}
			if g.Address < end {
				continue // the history contradicts itself; the viewer would too
			}
		}
		out = append(out, g)
	}
	return out
}

// place appends a live block to its segment, with the free one before it.
func (x *exporter) place(g *memviz.Segment, e gpumem.Entry) {
	next := g.Address
	if n := len(g.Blocks); n > 0 {
		last := &g.Blocks[n-1]
		next = last.Address + uint64(last.Size)
		if uint64(e.Addr) < next { // the one before was taken for too large
			last.Size -= int64(next - uint64(e.Addr))
			next = uint64(e.Addr)
		}
	}
	if gap := uint64(e.Addr) - next; gap > 0 {
		g.Blocks = append(g.Blocks, memviz.Block{Address: next, Size: int64(gap), State: memviz.StateInactive})
	}
	size := min(rounded(e.Size), int64(g.Address+uint64(g.TotalSize)-uint64(e.Addr)))
	g.Blocks = append(g.Blocks, memviz.Block{Address: uint64(e.Addr), Size: size, Requested: min(e.Size, size), State: memviz.StateAllocated,
		Frames: x.frames(e.Site), Tag: e.Tag})
}

// finish fills a segment up and sums it.
func finish(g *memviz.Segment) {
	next := g.Address
	if n := len(g.Blocks); n > 0 {
		next = g.Blocks[n-1].Address + uint64(g.Blocks[n-1].Size)
	}
	if left := g.Address + uint64(g.TotalSize) - next; left > 0 {
		g.Blocks = append(g.Blocks, memviz.Block{Address: next, Size: int64(left), State: memviz.StateInactive})
	}
	g.SegmentType = "large"
	if g.TotalSize <= 2*smallRequest {
		g.SegmentType = "small"
	}
	for i := range g.Blocks {
		if b := &g.Blocks[i]; b.State == memviz.StateAllocated {
			g.Allocated += b.Size
			g.Active += b.Size
			g.Requested += b.Requested
		}
	}
}
