// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Version is the version of the format. Fields may be added to it; a reader
// refuses a higher one.
const Version = 1

// Program is what one program says. Sizes are bytes.
type Program struct {
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Name    string    `json:"name"`
	Time    time.Time `json:"time"`
	Devices []Device  `json:"devices"`
}

// Device is one device of the program.
type Device struct {
	UUID    string `json:"uuid"`
	Ordinal int    `json:"ordinal"`
	Name    string `json:"name"`

	Allocated     int64 `json:"allocated"`
	Active        int64 `json:"active"`
	Requested     int64 `json:"requested"`
	Reserved      int64 `json:"reserved"`
	PeakAllocated int64 `json:"peak_allocated"`
	PeakReserved  int64 `json:"peak_reserved"`
	Limit         int64 `json:"limit"` // 0 where only the device limits
	Total         int64 `json:"total"`
	LargestFree   int64 `json:"largest_free"`
	Offloaded     int64 `json:"offloaded"`

	Live    int64 `json:"live"`    // buffers
	Allocs  int64 `json:"allocs"`  // ever
	Retries int64 `json:"retries"` // allocations that emptied the cache first
	OOMs    int64 `json:"ooms"`
	Rescued int64 `json:"rescued"` // buffers that only the garbage collector freed
	Steps   int64 `json:"steps"`   // marks of Device.Step

	// Sites hold most, the largest first. There is none without tracking.
	Sites []Site `json:"sites"`
}

// Site is what one line of the program holds.
type Site struct {
	Site  string `json:"site"` // "batch.go:41 main.loadBatch"
	Count int64  `json:"count"`
	Bytes int64  `json:"bytes"`
}

// Take asks the devices, with at most n sites each. It takes as long as a
// snapshot without history.
func Take(devices []*gpumem.Device, n int) *Program {
	p := &Program{Version: Version, PID: os.Getpid(), Name: filepath.Base(os.Args[0]), Time: time.Now(), Devices: []Device{}}
	for _, d := range devices {
		p.Devices = append(p.Devices, take(d, n))
	}
	return p
}

func take(d *gpumem.Device, n int) Device {
	snap := d.Snapshot(gpumem.SnapshotOptions{})
	s := &snap.Stats
	out := Device{UUID: snap.Device.UUID, Ordinal: snap.Device.Ordinal, Name: d.Name(),
		Allocated: s.AllocatedBytes.All.Current, Active: s.ActiveBytes.All.Current, Requested: s.RequestedBytes.All.Current,
		Reserved: s.ReservedBytes.All.Current, PeakAllocated: s.AllocatedBytes.All.Peak, PeakReserved: s.ReservedBytes.All.Peak,
		Limit: s.Limit, Total: s.DeviceTotal, LargestFree: s.LargestFree, Offloaded: s.Offloaded.Current,
		Live: s.Allocation.All.Current, Allocs: s.Allocation.All.Allocated, Retries: s.NumAllocRetries, OOMs: s.NumOOMs,
		Rescued: s.FinalizerFrees, Steps: d.Steps(), Sites: []Site{}}
	by := map[string]*Site{}
	for i := range snap.Segments {
		for k := range snap.Segments[i].Blocks {
			b := &snap.Segments[i].Blocks[k]
			if b.State != gpumem.BlockAllocated || b.Site == 0 {
				continue
			}
			name := b.Site.String() // stacks with the same leaf are one line of the program
			if by[name] == nil {
				by[name] = &Site{Site: name}
			}
			by[name].Count++
			by[name].Bytes += b.Size
		}
	}
	for _, site := range by {
		out.Sites = append(out.Sites, *site)
	}
	slices.SortFunc(out.Sites, func(a, b Site) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site)) })
	out.Sites = out.Sites[:min(len(out.Sites), n)]
	return out
}
