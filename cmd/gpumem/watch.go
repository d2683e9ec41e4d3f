// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	trend "github.com/gpumemlint/gpumemlint/runtime/growth"
	"github.com/gpumemlint/gpumemlint/runtime/nvml"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

// moment is what top shows at one moment, and what -json prints.
type moment struct {
	Version     int           `json:"version"`
	Time        time.Time     `json:"time"`
	Driver      string        `json:"driver"`                 // its version
	DriverError string        `json:"driver_error,omitempty"` // why there is no driver's view
	Devices     []nvml.Device `json:"devices"`
	Programs    []program     `json:"programs"`
}

// program is what one program says, and how its call sites have grown.
type program struct {
	Address string          `json:"address"`
	Error   string          `json:"error,omitempty"`
	Status  *status.Program `json:"status,omitempty"`
	Growth  []growth        `json:"growth"` // the fastest first
}

// growth is how one call site changed since top saw it first. Bytes are those
// of live buffers.
type growth struct {
	Device         int     `json:"device"` // index in the program's list
	Site           string  `json:"site"`
	Count          int64   `json:"count"`
	Bytes          int64   `json:"bytes"`
	CountGrowth    int64   `json:"count_growth"`
	BytesGrowth    int64   `json:"bytes_growth"`
	BytesPerMinute float64 `json:"bytes_per_minute"`
	// Rising says that the least keeps rising, in buffers or in bytes: what is
	// alive even at the quietest moment grows; see package growth.
	Rising bool `json:"rising"`
}

// window is the shortest number of samples over which something may rise.
const window = 32

// watch asks the driver and the programs, and remembers.
type watch struct {
	drv       driver
	driverErr error
	programs  []*watched
	sites     int
}

// watched is one program.
type watched struct {
	address string
	pid     int
	allocs  int64 // of all devices, to notice a restart behind the same pid
	sites   map[siteKey]*series
}

type siteKey struct {
	device int
	site   string
}

// series are the numbers of one call site.
type series struct {
	first, last  point
	count, bytes *trend.Series
}

type point struct {
	at           time.Time
	count, bytes int64
}

func newWatch(addresses []string, sites int) *watch {
	w := &watch{sites: sites}
	for _, a := range addresses {
		w.programs = append(w.programs, &watched{address: a, sites: map[siteKey]*series{}})
	}
	return w
}

// sample asks everybody at the same time. A program that does not answer
// within the interval is shown with the error.
func (w *watch) sample(ctx context.Context, interval time.Duration) *moment {
	s := &moment{Version: 1, Time: time.Now(), Devices: []nvml.Device{}, Programs: make([]program, len(w.programs))}
	ctx, cancel := context.WithTimeout(ctx, interval)
	defer cancel()
	var wait sync.WaitGroup
	for i, p := range w.programs {
		wait.Go(func() { s.Programs[i] = p.ask(ctx, w.sites) })
	}
	switch {
	case w.drv == nil && w.driverErr != nil:
		s.DriverError = w.driverErr.Error()
	case w.drv != nil:
		s.Driver = w.drv.Driver()
		devices, err := w.drv.Devices()
		if err != nil {
			s.DriverError = strings.ReplaceAll(err.Error(), "\n", "; ")
		} else {
			s.Devices = devices
		}
	}
	wait.Wait()
	return s
}

// ask reads a program's status and remembers it.
func (p *watched) ask(ctx context.Context, sites int) program {
	out := program{Address: p.address, Growth: []growth{}}
	st, err := status.Fetch(ctx, nil, p.address)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	p.remember(st)
	out.Growth = p.grown(sites)
	for i := range st.Devices {
		d := &st.Devices[i]
		d.Sites = d.Sites[:min(len(d.Sites), sites)]
	}
	out.Status = st
	return out
}

// remember adds a status to the series. A program that was started anew begins
// anew.
func (p *watched) remember(st *status.Program) {
	allocs := int64(0)
	for _, d := range st.Devices {
		allocs += d.Allocs
	}
	if st.PID != p.pid || allocs < p.allocs {
		clear(p.sites)
	}
	p.pid, p.allocs = st.PID, allocs
	seen := map[siteKey]bool{}
	for i, d := range st.Devices {
		for _, s := range d.Sites {
			key := siteKey{i, s.Site}
			seen[key] = true
			at := p.sites[key]
			if at == nil {
				at = &series{first: point{st.Time, s.Count, s.Bytes}, count: trend.NewSeries(window), bytes: trend.NewSeries(window)}
				p.sites[key] = at
			}
			at.add(point{st.Time, s.Count, s.Bytes})
		}
	}
	for key, s := range p.sites {
		if !seen[key] {
			s.add(point{at: st.Time}) // nothing alive
		}
	}
}

func (s *series) add(p point) {
	s.last = p
	s.count.Add(p.count)
	s.bytes.Add(p.bytes)
}

// grown lists the call sites that hold something, those that rise first, then
// by what they grow a minute, then by what they hold.
func (p *watched) grown(n int) []growth {
	out := []growth{}
	for key, s := range p.sites {
		last := s.last
		if last.count == 0 {
			continue
		}
		g := growth{Device: key.device, Site: key.site, Count: last.count, Bytes: last.bytes,
			CountGrowth: last.count - s.first.count, BytesGrowth: last.bytes - s.first.bytes, Rising: s.count.Rising() || s.bytes.Rising()}
		if minutes := last.at.Sub(s.first.at).Minutes(); minutes > 0 {
			g.BytesPerMinute = float64(g.BytesGrowth) / minutes
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b growth) int {
		rise := 0
		if a.Rising != b.Rising {
			rise = 1
			if a.Rising {
				rise = -1
			}
		}
		return cmp.Or(rise, cmp.Compare(b.BytesPerMinute, a.BytesPerMinute), cmp.Compare(b.Bytes, a.Bytes),
			cmp.Compare(a.Device, b.Device), cmp.Compare(a.Site, b.Site))
	})
	return out[:min(len(out), n)]
}
