// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// Take makes a snapshot of the devices, or of all open ones if none is given,
// with the history that they keep (see gpumem.WithHistory). Devices with the
// same ordinal, such as the simulated ones of tests that run at once, are
// numbered on, so that their blocks don't fall on each other.
func Take(devices ...*gpumem.Device) *memviz.Snapshot {
	if len(devices) == 0 {
		devices = gpumem.Devices()
	}
	snaps := make([]*gpumem.Snapshot, len(devices))
	for i, d := range devices {
		snaps[i] = d.Snapshot(gpumem.SnapshotOptions{History: true})
	}
	return Export(snaps...)
}

// Export translates snapshots of devices, one each, into one for the viewer.
func Export(snaps ...*gpumem.Snapshot) *memviz.Snapshot {
	x := &exporter{out: &memviz.Snapshot{Settings: memviz.NewSettings()}, stacks: map[gpumem.SiteID][]memviz.Frame{}}
	taken := map[int]bool{}
	for i, s := range snaps {
		ordinal := s.Device.Ordinal
		for ordinal < 0 || taken[ordinal] {
			ordinal++
		}
		taken[ordinal] = true
		if i == 0 {
			x.settings(s)
		}
		x.out.Settings.Dropped += s.Dropped
		x.segments(s, ordinal)
		x.events(s, ordinal)
	}
	slices.SortStableFunc(x.out.Segments, func(a, b memviz.Segment) int { return cmp.Compare(a.Device, b.Device) })
	return x.out
}

type exporter struct {
	out    *memviz.Snapshot
	stacks map[gpumem.SiteID][]memviz.Frame
}

// frames resolves a site's stack once; the encoders recognise the shared slice.
func (x *exporter) frames(id gpumem.SiteID) []memviz.Frame {
	if id == 0 {
		return nil
	}
	if frames, ok := x.stacks[id]; ok {
		return frames
	}
	var frames []memviz.Frame
	for _, f := range id.Frames() {
		frames = append(frames, memviz.Frame{Filename: f.File, Line: f.Line, Name: f.Function})
	}
	frames = slices.Clip(frames)
	x.stacks[id] = frames
	return frames
}

// pool gives a pool the pair by which PyTorch names user pools.
func pool(id gpumem.PoolID) [2]int { return [2]int{0, int(id)} }

func (x *exporter) settings(s *gpumem.Snapshot) {
	set := &x.out.Settings
	set.Conf = s.Conf.Text
	set.GCThreshold = s.Conf.GCThreshold
	set.Expandable = s.Conf.Expandable
	set.MemoryFraction = s.Conf.Fraction
	set.Policy = s.Policy.String()
	if s.Stats.MaxSplitSize > 0 {
		set.MaxSplitSize = s.Stats.MaxSplitSize
	}
	interval := 1
	for _, steps := range s.Conf.RoundupDivisions {
		set.RoundupPower2[itoa(int64(interval))] = int(steps)
		interval *= 2
	}
}

func (x *exporter) segments(s *gpumem.Snapshot, ordinal int) {
	for i := range s.Segments {
		g := &s.Segments[i]
		out := memviz.Segment{Device: ordinal, Address: uint64(g.Addr), TotalSize: g.Size, Allocated: g.Allocated, Active: g.Active,
			Requested: g.Requested, Stream: uint64(g.Stream), SegmentType: "large", PoolID: pool(g.Pool), Expandable: g.Expandable,
			Frames: x.frames(g.Site)}
		if g.Small {
			out.SegmentType = "small"
		}
		for k := range g.Blocks {
			b := &g.Blocks[k]
			out.Blocks = append(out.Blocks, memviz.Block{Address: uint64(b.Addr), Size: b.Size, Requested: b.Requested,
				State: b.State.String(), Frames: x.frames(b.Site), Tag: b.Tag})
		}
		x.out.Segments = append(x.out.Segments, out)
	}
}

func (x *exporter) events(s *gpumem.Snapshot, ordinal int) {
	for len(x.out.Traces) <= ordinal {
		x.out.Traces = append(x.out.Traces, nil)
	}
	events := make([]memviz.Event, 0, len(s.History))
	for i := range s.History {
		e := &s.History[i]
		out := memviz.Event{Action: e.Action.String(), Addr: uint64(e.Addr), Size: e.Size, Stream: uint64(e.Stream),
			TimeUS: e.Time / 1000, PoolID: pool(e.Pool), Frames: x.frames(e.Site), Tag: e.Tag}
		switch e.Action {
		case gpumem.ActionOOM:
			out.Addr, out.DeviceFree = 0, int64(e.Addr) // an OOM has no address
		case gpumem.ActionFreeCompleted:
			// The viewer takes the stack of a block that is gone from the
			// first of its two free events, and drops the second if it comes
			// right after: no use to write it.
			if i > 0 && s.History[i-1].Action == gpumem.ActionFreeRequested && s.History[i-1].Addr == e.Addr {
				out.Frames = nil
			}
		}
		events = append(events, out)
	}
	x.out.Traces[ordinal] = events
}

// Entries translates the trace of one device of a snapshot, maybe PyTorch's,
// back into an allocator's history. Sites are lost: its stacks are text.
func Entries(s *memviz.Snapshot, device int) []gpumem.Entry {
	if device < 0 || device >= len(s.Traces) {
		return nil
	}
	out := make([]gpumem.Entry, 0, len(s.Traces[device]))
	for i := range s.Traces[device] {
		e := &s.Traces[device][i]
		action, ok := gpumem.ParseAction(e.Action)
		if !ok {
			continue // Check lets no unknown action pass
		}
		entry := gpumem.Entry{Action: action, Pool: gpumem.PoolID(e.PoolID[1]), Addr: gpumem.Ptr(e.Addr), Size: e.Size,
			Stream: gpumem.StreamHandle(e.Stream), Time: e.TimeUS * 1000, Tag: e.Tag}
		if action == gpumem.ActionOOM {
			entry.Addr = gpumem.Ptr(e.DeviceFree)
		}
		out = append(out, entry)
	}
	return out
}
