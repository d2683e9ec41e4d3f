// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// The report is bounded, however much is live.
const (
	topSites     = 10
	topPinning   = 8
	occupancyLen = 100
)

// oomReport describes why r failed. No lock is held.
func (d *Device) oomReport(r *request) *OOMError {
	var s Stats
	d.ReadStats(&s)
	e := &OOMError{Device: fmt.Sprintf("%s (device %d)", d.name, d.info.Ordinal), Requested: r.n,
		Rounded: d.segmentWanted(r), Stream: r.heap.stream, Limit: s.Limit, DeviceTotal: d.info.Total,
		Allocated: s.AllocatedBytes.All.Current, Active: s.ActiveBytes.All.Current, Reserved: s.ReservedBytes.All.Current,
		LargestFree: s.LargestFree, TotalFree: s.CachedBytes(), Attempts: slices.Clone(r.attempts)}
	if free, total, err := d.drv.MemInfo(); err == nil { // else 0: the report must not fail
		e.DeviceFree, e.DeviceTotal = free, total
		e.Outside = max(total-free-e.Reserved, 0)
	}
	e.Processes = d.processes()
	e.Kind = e.cause(r.size)
	segments := d.Snapshot(SnapshotOptions{}).Segments
	e.Top = topUse(segments)
	e.Pinning = pinning(segments, r.size)
	e.Occupancy = occupancy(segments)
	e.Hints = d.hints(e)
	return e
}

// segmentWanted is what the driver would have had to give for r.
func (d *Device) segmentWanted(r *request) int64 {
	switch {
	case d.noCache:
		return r.size
	case d.policy == PolicyPyTorch:
		return d.conf.segmentSize(r.size)
	default:
		return r.growth()
	}
}

// cause tells the kinds apart. size is the rounded request.
func (e *OOMError) cause(size int64) OOMKind {
	room := e.DeviceFree // that the driver could still give
	if e.Limit > 0 {
		room = min(room, max(e.Limit-e.Reserved, 0))
	}
	switch {
	case e.TotalFree >= size || e.TotalFree+room >= size && e.LargestFree < size && e.TotalFree > 0:
		return OOMFragmented
	case e.Limit > 0 && e.DeviceFree >= e.Rounded:
		return OOMLimit
	case e.TotalFree+e.DeviceFree+e.Outside >= size && e.Outside > e.Reserved:
		return OOMForeign
	default:
		return OOMExhausted
	}
}

// topUse sums live blocks by call site.
func topUse(segments []SegmentInfo) []SiteUse {
	sum := map[SiteID]*SiteUse{}
	for _, s := range segments {
		for _, b := range s.Blocks {
			if b.State == BlockInactive {
				continue
			}
			u := sum[b.Site]
			if u == nil {
				u = &SiteUse{Site: b.Site}
				sum[b.Site] = u
			}
			u.Bytes += b.Size
			u.Count++
		}
	}
	out := make([]SiteUse, 0, len(sum))
	for _, u := range sum {
		out = append(out, *u)
	}
	slices.SortFunc(out, func(a, b SiteUse) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site))
	})
	return out[:min(len(out), topSites)]
}

// TopSites lists the call sites that hold most, at most n. It needs tracking.
func (d *Device) TopSites(n int) []SiteUse {
	top := topUse(d.Snapshot(SnapshotOptions{}).Segments)
	return top[:min(n, len(top))]
}

// pinning gives the blocks that keep the best segment in use: the one that is
// large enough for size and has the least live bytes.
func pinning(segments []SegmentInfo, size int64) []BlockInfo {
	var best *SegmentInfo
	for i := range segments {
		s := &segments[i]
		if s.Size >= size && s.Active > 0 && (best == nil || s.Active < best.Active) {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	var out []BlockInfo
	for _, b := range best.Blocks {
		if b.State != BlockInactive && len(out) < topPinning {
			out = append(out, b)
		}
	}
	return out
}

// occupancy draws reserved memory in address order: '*' is used, 'x' is lost
// to rounding, '_' is free.
func occupancy(segments []SegmentInfo) string {
	total := int64(0)
	for _, s := range segments {
		total += s.Size
	}
	if total == 0 {
		return ""
	}
	const used, lost, free = 0, 1, 2
	var cells [occupancyLen][3]float64
	at := 0.0
	scale := float64(occupancyLen) / float64(total)
	paint := func(what int, n int64) {
		end := at + float64(n)*scale
		for at < end {
			cell := min(int(at), occupancyLen-1)
			stop := end
			if cell < occupancyLen-1 {
				stop = min(end, float64(cell+1))
			}
			cells[cell][what] += stop - at
			at = stop
		}
	}
	for _, s := range segments {
		for _, b := range s.Blocks {
			if b.State == BlockInactive {
				paint(free, b.Size)
				continue
			}
			paint(used, min(b.Requested, b.Size))
			paint(lost, max(b.Size-b.Requested, 0))
		}
	}
	var out strings.Builder
	for _, c := range cells {
		switch {
		case c[used] >= c[lost] && c[used] >= c[free]:
			out.WriteByte('*')
		case c[lost] >= c[free]:
			out.WriteByte('x')
		default:
			out.WriteByte('_')
		}
	}
	return out.String()
}

// hints say what to change. They look at what is configured already.
func (d *Device) hints(e *OOMError) []string {
	var out []string
	switch e.Kind {
	case OOMFragmented:
		if _, ok := d.drv.(VMM); ok && d.vmm == nil {
			out = append(out, "set expandable_segments:True, so that free pages can move")
		}
		if d.policy == PolicyPyTorch {
			out = append(out, "use PolicyBest, which keeps less in pieces")
		}
		if len(e.Pinning) > 0 {
			out = append(out, "close the blocks that pin the emptiest segment")
		}
	case OOMLimit:
		out = append(out, fmt.Sprintf("raise the limit of %v, the device has %v free", Bytes(e.Limit), Bytes(e.DeviceFree)))
	case OOMForeign:
		out = append(out, fmt.Sprintf("%v are used outside this allocator: stop other processes or empty other caches", Bytes(e.Outside)))
	case OOMExhausted:
		out = append(out, "close buffers earlier or use a smaller batch")
	}
	if d.tracking == TrackOff {
		out = append(out, "open the device with WithTracking(TrackStack) to see who holds the memory")
	}
	return out
}

// Error says in one line what failed, why, who holds the memory and what to do.
func (e *OOMError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "out of memory on %s (%s): asked for %v on stream %d; %v free of %v", e.Device, e.Kind, Bytes(e.Requested),
		e.Stream, Bytes(e.DeviceFree), Bytes(e.DeviceTotal))
	if e.Limit > 0 {
		fmt.Fprintf(&b, ", limit %v", Bytes(e.Limit))
	}
	fmt.Fprintf(&b, "; %v allocated, %v reserved, largest free block %v, %v outside", Bytes(e.Allocated), Bytes(e.Reserved),
		Bytes(e.LargestFree), Bytes(e.Outside))
	for i, t := range e.Top {
		if i == 3 {
			break
		}
		if t.Site != 0 {
			fmt.Fprintf(&b, "; %v in %d at %v", Bytes(t.Bytes), t.Count, t.Site)
		}
	}
	if len(e.Hints) > 0 {
		fmt.Fprintf(&b, "; %s", strings.Join(e.Hints, "; "))
	}
	return b.String()
}

// Is makes errors.Is(err, ErrOutOfMemory) hold.
func (e *OOMError) Is(target error) bool { return target == ErrOutOfMemory }

// Report gives all that the error knows, on several lines and at most 4 KiB.
func (e *OOMError) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", e.Error())
	if e.Occupancy != "" {
		fmt.Fprintf(&b, "reserved memory by address (* used, x rounding, _ free):\n[%s]\n", e.Occupancy)
	}
	for _, a := range e.Attempts {
		fmt.Fprintf(&b, "tried %s: released %v", a.Step, Bytes(a.Released))
		if a.Failed != "" {
			fmt.Fprintf(&b, ", then: %s", a.Failed)
		}
		b.WriteByte('\n')
	}
	for _, t := range e.Top {
		fmt.Fprintf(&b, "held: %v in %d blocks by %v\n", Bytes(t.Bytes), t.Count, t.Site)
	}
	for _, p := range e.Pinning {
		fmt.Fprintf(&b, "pins the emptiest segment: %v at %v by %v %q\n", Bytes(p.Size), p.Addr, p.Site, p.Tag)
	}
	for _, p := range e.Processes {
		fmt.Fprintf(&b, "%v\n", p)
	}
	const most = 4096
	if b.Len() > most {
		return b.String()[:most-4] + "...\n"
	}
	return b.String()
}

// LogValue makes the error a group of attributes for package slog.
func (e *OOMError) LogValue() slog.Value {
	return slog.GroupValue(slog.String("kind", e.Kind.String()), slog.String("device", e.Device),
		slog.Int64("requested", e.Requested), slog.Int64("rounded", e.Rounded), slog.Int64("limit", e.Limit),
		slog.Int64("device_free", e.DeviceFree), slog.Int64("device_total", e.DeviceTotal),
		slog.Int64("allocated", e.Allocated), slog.Int64("active", e.Active), slog.Int64("reserved", e.Reserved),
		slog.Int64("largest_free", e.LargestFree), slog.Int64("outside", e.Outside), slog.Int("attempts", len(e.Attempts)))
}
