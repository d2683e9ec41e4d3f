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
	defaultWindow = 64
	defaultWarmup = 8
	defaultSites  = 10

	// quarters are what the window is cut into. Something grows if the least of
	// each is more than that of the one before.
	quarters = 4
	// siteMarks is how often in a window the call sites are counted, which takes
	// as long as there are live buffers.
	siteMarks = 4 * quarters
)

// Config says what to look at. The zero value of each field is its default.
type Config struct {
	// Window is how many steps are looked at, 64. Work that fills and empties
	// something over P steps, such as a cache or an accumulation of gradients,
	// needs a window of 4 P or more, and so does a leak of one in P steps.
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
	count     ring
	bytes     ring
	sites     map[key]*siteRing
	marks     int64 // how often sites were counted
	suspected bool
}

// key is a call site and what it made.
type key struct {
	site gpumem.SiteID
	kind gpumem.Kind
}

type siteRing struct{ count, bytes ring }

// ring has the last values, oldest first.
type ring []int64

func (r *ring) add(v int64, n int) {
	if len(*r) == n {
		copy(*r, (*r)[1:])
		(*r)[n-1] = v
		return
	}
	*r = append(*r, v)
}

// rises compares the least of the quarters, and says by how much the last is
// above the first.
func (r ring) rises(n int) (rises bool, by int64) {
	if len(r) < n {
		return false, 0
	}
	var least [quarters]int64
	for i := range least {
		least[i] = slices.Min(r[i*n/quarters : (i+1)*n/quarters])
	}
	rises = true
	for i := 1; i < quarters; i++ {
		rises = rises && least[i] > least[i-1]
	}
	return rises, least[quarters-1] - least[0]
}

// slope is the median of the slopes between all pairs of values: a few values
// that are far off do not move it.
func (r ring) slope() float64 {
	var all []float64
	for i := range r {
		for k := i + 1; k < len(r); k++ {
			all = append(all, float64(r[k]-r[i])/float64(k-i))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// Watch makes a detector for d. Sites are named only if d tracks them.
func Watch(d *gpumem.Device, cfg Config) *Detector {
	if cfg.Window <= 0 {
		cfg.Window = defaultWindow
	}
	cfg.Window = max(cfg.Window, 2*quarters)
	if cfg.Warmup <= 0 {
		cfg.Warmup = defaultWarmup
	}
	if cfg.Sites <= 0 {
		cfg.Sites = defaultSites
	}
	return &Detector{dev: d, cfg: cfg, sites: map[key]*siteRing{}}
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
	t.count.add(s.Allocation.All.Current+s.Streams.Current+s.Events.Current+s.Views.Current+s.Pools.Current, t.cfg.Window)
	t.bytes.add(s.AllocatedBytes.All.Current, t.cfg.Window)
	if (t.steps-int64(t.cfg.Warmup)-1)%int64(t.every()) == 0 {
		t.mark()
	}
	before := t.suspected
	t.suspected = t.suspects()
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
func (t *Detector) every() int { return max(t.cfg.Window/siteMarks, 1) }

// siteWindow is how many counts of sites make a window.
func (t *Detector) siteWindow() int { return t.cfg.Window / t.every() }

func (t *Detector) suspects() bool {
	count, _ := t.count.rises(t.cfg.Window)
	bytes, _ := t.bytes.rises(t.cfg.Window)
	return count || bytes
}

// mark counts what is alive by site.
func (t *Detector) mark() {
	t.marks++
	type sum struct{ count, bytes int64 }
	now := map[key]sum{}
	for r := range t.dev.Live() {
		k := key{r.Site, r.Kind}
		v := now[k]
		now[k] = sum{v.count + 1, v.bytes + r.Size}
	}
	n := t.siteWindow()
	for k := range now {
		if t.sites[k] == nil { // nothing was alive before
			zeros := make(ring, min(t.marks-1, int64(n)))
			t.sites[k] = &siteRing{slices.Clone(zeros), zeros}
		}
	}
	for k, s := range t.sites {
		s.count.add(now[k].count, n)
		s.bytes.add(now[k].bytes, n)
		if slices.Max(s.count) == 0 {
			delete(t.sites, k) // gone for a whole window
		}
	}
}

// Trend is how one quantity went over the window.
type Trend struct {
	Now     int64
	Growth  int64   // of the least, from the first quarter of the window to the last
	PerStep float64 // median slope
	Rising  bool    // the least of each quarter is above that of the one before
}

func (r ring) trend(n, every int) Trend {
	t := Trend{PerStep: r.slope() / float64(every)}
	if len(r) > 0 {
		t.Now = r[len(r)-1]
	}
	t.Rising, t.Growth = r.rises(n)
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
	// Suspected says that buffers or bytes rise over the whole window.
	Suspected bool
	Count     Trend // buffers, views, streams, events and pools
	Bytes     Trend // of buffers
	// Sites are those that rise, the fastest first. Where a site rises and the
	// device does not, another holds less: that is no leak yet.
	Sites []SiteTrend
}

// Report says how things stand. It takes some hundred microseconds.
func (t *Detector) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.report()
}

func (t *Detector) report() Report {
	r := Report{Device: t.dev.Name(), Steps: t.steps, Suspected: t.suspects(),
		Count: t.count.trend(t.cfg.Window, 1), Bytes: t.bytes.trend(t.cfg.Window, 1)}
	n, every := t.siteWindow(), t.every()
	for k, s := range t.sites {
		count, _ := s.count.rises(n)
		bytes, _ := s.bytes.rises(n)
		if count || bytes {
			r.Sites = append(r.Sites, SiteTrend{k.site, k.kind, s.count.trend(n, every), s.bytes.trend(n, every)})
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
