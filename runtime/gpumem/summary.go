// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// metric is one line of the summary and one group of keys.
type metric struct {
	key, title string
	bytes      bool
	of         func(*Stats) *PoolStats
}

var quantities = [...]metric{
	{"allocated_bytes", "Allocated memory", true, func(s *Stats) *PoolStats { return &s.AllocatedBytes }},
	{"active_bytes", "Active memory", true, func(s *Stats) *PoolStats { return &s.ActiveBytes }},
	{"requested_bytes", "Requested memory", true, func(s *Stats) *PoolStats { return &s.RequestedBytes }},
	{"reserved_bytes", "GPU reserved memory", true, func(s *Stats) *PoolStats { return &s.ReservedBytes }},
	{"inactive_split_bytes", "Non-releasable memory", true, func(s *Stats) *PoolStats { return &s.InactiveSplitBytes }},
	{"allocation", "Allocations", false, func(s *Stats) *PoolStats { return &s.Allocation }},
	{"active", "Active allocs", false, func(s *Stats) *PoolStats { return &s.Active }},
	{"segment", "GPU reserved segments", false, func(s *Stats) *PoolStats { return &s.Segment }},
	{"inactive_split", "Non-releasable allocs", false, func(s *Stats) *PoolStats { return &s.InactiveSplit }},
}

// Keys gives the statistics under the keys of torch.cuda.memory_stats.
func (s *Stats) Keys() map[string]int64 {
	out := make(map[string]int64, 128)
	put := func(prefix string, st *Stat) {
		out[prefix+".current"], out[prefix+".peak"] = st.Current, st.Peak
		out[prefix+".allocated"], out[prefix+".freed"] = st.Allocated, st.Freed
	}
	for _, m := range quantities {
		p := m.of(s)
		put(m.key+".all", &p.All)
		put(m.key+".large_pool", &p.Large)
		put(m.key+".small_pool", &p.Small)
	}
	put("oversize_allocations", &s.OversizeAllocations)
	put("oversize_segments", &s.OversizeSegments)
	out["num_alloc_retries"], out["num_ooms"] = s.NumAllocRetries, s.NumOOMs
	out["num_sync_all_streams"], out["num_oom_rejections"] = s.NumSyncAllStreams, s.NumOOMRejections
	out["num_device_alloc"], out["num_device_free"] = s.NumDeviceAlloc, s.NumDeviceFree
	out["max_split_size"] = s.MaxSplitSize
	return out
}

// HostKeys gives the statistics of a device of pinned host memory (see package
// cudadrv) under the keys of torch.cuda.host_memory_stats: what is pinned counts
// as allocated, what the program holds or a copy may still use as active.
func (s *Stats) HostKeys() map[string]int64 {
	out := make(map[string]int64, 18)
	for prefix, st := range map[string]*Stat{"allocations": &s.Segment.All, "allocated_bytes": &s.ReservedBytes.All,
		"active_requests": &s.Active.All, "active_bytes": &s.ActiveBytes.All} {
		out[prefix+".current"], out[prefix+".peak"] = st.Current, st.Peak
		out[prefix+".allocated"], out[prefix+".freed"] = st.Allocated, st.Freed
	}
	out["num_host_alloc"], out["num_host_free"] = s.NumDeviceAlloc, s.NumDeviceFree
	return out
}

// LogValue makes the statistics a group of attributes for package slog.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("allocated", s.AllocatedBytes.All.Current), slog.Int64("active", s.ActiveBytes.All.Current),
		slog.Int64("reserved", s.ReservedBytes.All.Current), slog.Int64("peak_active", s.ActiveBytes.All.Peak),
		slog.Int64("peak_reserved", s.ReservedBytes.All.Peak), slog.Int64("buffers", s.Allocation.All.Current),
		slog.Int64("driver_allocs", s.NumDeviceAlloc), slog.Int64("ooms", s.NumOOMs))
}

// Summary writes the statistics as the table that torch.cuda.memory_summary
// prints, to the byte, so that whatever reads that reads this too. abbreviated
// leaves the pools out.
func (d *Device) Summary(w io.Writer, abbreviated bool) error {
	var s Stats
	d.ReadStats(&s)
	_, err := io.WriteString(w, s.table(d.info.Ordinal, abbreviated))
	return err
}

const summaryWidth = 75

func (s *Stats) table(device int, abbreviated bool) string {
	double, single := strings.Repeat("=", summaryWidth), strings.Repeat("-", summaryWidth)
	lines := []string{
		double,
		fmt.Sprintf(" %16s PyTorch CUDA memory summary, device ID %-17d ", "", device),
		single,
		fmt.Sprintf("  %9s CUDA OOMs: %-12d | %6s cudaMalloc retries: %-8d  ", "", s.NumOOMs, "", s.NumAllocRetries),
		double,
		"        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
	}
	for _, m := range quantities {
		format := formatCount
		if m.bytes {
			format = formatSize
		}
		p := m.of(s)
		lines = append(lines, single, row4(m.title, &p.All, &p.All, format))
		if !abbreviated {
			lines = append(lines, row4("      from large pool", &p.Large, &p.All, format),
				row4("      from small pool", &p.Small, &p.All, format))
		}
	}
	lines = append(lines, single, row4("Oversize allocations", &s.OversizeAllocations, &s.OversizeAllocations, formatCount),
		single, row4("Oversize GPU segments", &s.OversizeSegments, &s.OversizeSegments, formatCount), double)
	return "|" + strings.Join(lines, "|\n|") + "|\n"
}

// row4 writes a line of the table; units are those of the first row of its
// group.
func row4(title string, s, first *Stat, format func(v, unit int64) string) string {
	return fmt.Sprintf(" %-21s | %s | %s | %s | %s ", title, format(s.Current, first.Current), format(s.Peak, first.Peak),
		format(s.Allocated, first.Allocated), format(s.Freed, first.Freed))
}

// formatSize writes bytes in the unit that suits unit bytes.
func formatSize(v, unit int64) string {
	name, u := "B  ", float64(unit)
	for _, next := range [...]string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if u < 768*1024 {
			break
		}
		name, v, u = next, v/1024, u/1024
	}
	return fmt.Sprintf("%6d %s", v, name)
}

// formatCount writes a count in the unit that suits unit.
func formatCount(v, unit int64) string {
	name, u := " ", float64(unit)
	for _, next := range [...]string{"K", "M"} {
		if u < 750*1000 {
			break
		}
		name, v, u = next, v/1000, u/1000
	}
	return fmt.Sprintf("%7d %s ", v, name)
}
