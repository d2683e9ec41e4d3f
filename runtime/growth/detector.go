// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package growth

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

const (
	defaultWindow = 128
	defaultWarmup = 8
	defaultSites  = 10

	// siteMarks is how often in a part of a window the call sites are counted,
	// which takes as long as there are live buffers.
	siteMarks = 4
)

// Config says what to look at. The zero value of each field is its default.
type Config struct {
	// Window is the shortest number of steps that is looked at, 128; windows
	// twice as long, and so on, are looked at too, so that slow leaks are seen
	// later. Work that fills and empties something over P steps, such as an
	// accumulation of gradients, needs a window of 8 P or more.
	Window int
	// Warmup is how many steps are left out at the start, 8.
	Warmup int
	// Sites is how many call sites a report names, 10.
	Sites int
	// OnSuspect is called, on the goroutine that calls Step, when a leak is
	// suspected and was not in the step before; it may be nil.
	OnSuspect func(Report)
}

// Detector watches one device. Its methods may be called from any goroutine;
// steps that run side by side are best marked by one of them.
type Detector struct {
	dev *gpumem.Device
	cfg Config

	mu        sync.Mutex
	steps     int64
	count     *Series
	bytes     *Series
	sites     map[key]*site
	clock     *Series // of zeros, fed like those of sites
	suspected bool
}

// key is a call site and what it made.
type key struct {
	site gpumem.SiteID
	kind gpumem.Kind
}

type site struct{ count, bytes *Series }

// Watch makes a detector for d. Sites are named only if d tracks them.
func Watch(d *gpumem.Device, cfg Config) *Detector {
	if cfg.Window <= 0 {
		cfg.Window = defaultWindow
	}
	cfg.Window = max(cfg.Window, parts)
	if cfg.Warmup <= 0 {
		cfg.Warmup = defaultWarmup
	}
	if cfg.Sites <= 0 {
		cfg.Sites = defaultSites
	}
	t := &Detector{dev: d, cfg: cfg, count: NewSeries(cfg.Window), bytes: NewSeries(cfg.Window), sites: map[key]*site{}}
	t.clock = NewSeries(t.siteWindow())
	return t
}

// Step marks the end of a step, here and on the device, and says whether a leak
// is suspected. It costs less than a microsecond, and every few steps as much
// as listing what is alive.
func (t *Detector) Step() bool {
	t.dev.Step()
	t.mu.Lock()
	t.steps++
	if t.steps <= int64(t.cfg.Warmup) {
		t.mu.Unlock()
		return false
	}
	var s gpumem.Stats
	t.dev.ReadStats(&s)
	t.count.Add(s.Allocation.All.Current + s.Streams.Current + s.Events.Current + s.Views.Current + s.Pools.Current)
	t.bytes.Add(s.AllocatedBytes.All.Current)
	if (t.steps-int64(t.cfg.Warmup)-1)%int64(t.every()) == 0 {
		t.mark()
	}
	before := t.suspected
	t.suspected = t.count.Rising() || t.bytes.Rising()
	tell := t.suspected && !before && t.cfg.OnSuspect != nil
	var r Report
	if tell {
		r = t.report()
	}
	now := t.suspected
	t.mu.Unlock()
	if tell {
		t.cfg.OnSuspect(r)
	}
	return now
}

// every is after how many steps sites are counted.
func (t *Detector) every() int { return max(t.cfg.Window/parts/siteMarks, 1) }

// siteWindow is how many counts of sites make a window.
func (t *Detector) siteWindow() int { return max(t.cfg.Window/t.every(), parts) }

// mark counts what is alive by site.
func (t *Detector) mark() {
	type sum struct{ count, bytes int64 }
	now := map[key]sum{}
	for r := range t.dev.Live() {
		k := key{r.Site, r.Kind}
		v := now[k]
		now[k] = sum{v.count + 1, v.bytes + r.Size}
	}
	for k := range now {
		if t.sites[k] == nil { // nothing was alive before
			s := &site{NewSeries(t.siteWindow()), NewSeries(t.siteWindow())}
			s.count.late(t.clock)
			s.bytes.late(t.clock)
			t.sites[k] = s
		}
	}
	t.clock.Add(0)
	for k, s := range t.sites {
		s.count.Add(now[k].count)
		s.bytes.Add(now[k].bytes)
		if s.count.gone() {
			delete(t.sites, k)
		}
	}
}

// Trend is how one quantity goes.
type Trend struct {
	Now     int64
	Growth  int64   // of the least, from the first part of a window to the last
	PerStep float64 // that, a step
	Rising  bool    // the least of each part is above that of the one before
}

// perStep turns a trend of counts of sites, which are made every n steps.
func (t Trend) perStep(n int) Trend {
	t.PerStep /= float64(n)
	return t
}

// SiteTrend is how one call site went.
type SiteTrend struct {
	Site  gpumem.SiteID
	Kind  gpumem.Kind
	Count Trend
	Bytes Trend
}

// Report is what a detector knows.
type Report struct {
	Device string
	Steps  int64 // marked so far
	// Suspected says that buffers or bytes rise over a whole window.
	Suspected bool
	Count     Trend // buffers, views, streams, events and pools
	Bytes     Trend // of buffers
	// Sites are those that rise, the fastest first. Where a site rises and the
	// device does not, another holds less: that is no leak yet.
	Sites []SiteTrend
}

// Report says how things stand.
func (t *Detector) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.report()
}

func (t *Detector) report() Report {
	r := Report{Device: t.dev.Name(), Steps: t.steps, Suspected: t.count.Rising() || t.bytes.Rising(),
		Count: t.count.Trend(), Bytes: t.bytes.Trend()}
	for k, s := range t.sites {
		if s.count.Rising() || s.bytes.Rising() {
			r.Sites = append(r.Sites, SiteTrend{k.site, k.kind, s.count.Trend().perStep(t.every()), s.bytes.Trend().perStep(t.every())})
		}
	}
	slices.SortFunc(r.Sites, func(a, b SiteTrend) int {
		return cmp.Or(cmp.Compare(b.Bytes.PerStep, a.Bytes.PerStep), cmp.Compare(b.Count.PerStep, a.Count.PerStep),
			cmp.Compare(a.Site.String(), b.Site.String()), cmp.Compare(a.Kind, b.Kind))
	})
	r.Sites = r.Sites[:min(len(r.Sites), t.cfg.Sites)]
	return r
}

// String says it in a line for the device and one for each site that rises.
func (r Report) String() string {
	var b strings.Builder
	state := "no growth"
	if r.Suspected {
		state = "leak suspected"
	}
	fmt.Fprintf(&b, "%s after %d steps: %s: %d alive (%+.3g a step), %v (%s a step)", r.Device, r.Steps, state,
		r.Count.Now, r.Count.PerStep, gpumem.Bytes(r.Bytes.Now), signed(r.Bytes.PerStep))
	for _, s := range r.Sites {
		fmt.Fprintf(&b, "\n\t%v: %d %ss (%+.3g a step), %v (%s a step)", s.Site, s.Count.Now, s.Kind,
			s.Count.PerStep, gpumem.Bytes(s.Bytes.Now), signed(s.Bytes.PerStep))
	}
	return b.String()
}

func signed(v float64) string {
	if v < 0 {
		return gpumem.Bytes(v).String()
	}
	return "+" + gpumem.Bytes(v).String()
}
