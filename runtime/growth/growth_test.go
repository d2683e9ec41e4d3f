// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package growth_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/growth"
)

// bench is a program made of steps.
type bench struct {
	t    *testing.T
	d    *gpumem.Device
	live map[string][]gpumem.Buffer
	rng  *rand.Rand
}

func newBench(t *testing.T) *bench {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{NoRaceCheck: true}), gpumem.WithTracking(gpumem.TrackSite))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, d: d, live: map[string][]gpumem.Buffer{}, rng: rand.New(rand.NewPCG(1, 2))}
	t.Cleanup(func() {
		for site := range b.live {
			b.drop(site, len(b.live[site]))
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) take(site string, n int64) {
	b.t.Helper()
	buf, err := b.d.Alloc(n, gpumem.At(gpumem.RegisterSite(site)))
	if err != nil {
		b.t.Fatal(err)
	}
	b.live[site] = append(b.live[site], buf)
}

// drop closes the oldest n of a site.
func (b *bench) drop(site string, n int) {
	b.t.Helper()
	list := b.live[site]
	for _, buf := range list[:n] {
		if err := buf.Close(); err != nil {
			b.t.Error(err)
		}
	}
	b.live[site] = list[n:]
}

// run does steps and says in how many a leak was suspected, and in how many of
// the last ten.
func (b *bench) run(t *growth.Detector, steps int, step func(i int)) (suspected, last int) {
	for i := range steps {
		step(i)
		if t.Step() {
			suspected++
			if i >= steps-10 {
				last++
			}
		}
	}
	return suspected, last
}

// TestLeaks must all be seen, and the site named.
func TestLeaks(t *testing.T) {
	for name, step := range map[string]func(b *bench, i int){
		"one a step":         func(b *bench, i int) { b.take("leak", 512) },
		"one in twelve":      func(b *bench, i int) { repeat(i%12 == 0, func() { b.take("leak", 4096) }) },
		"under noise":        func(b *bench, i int) { noise(b); repeat(i%3 == 0, func() { b.take("leak", 512) }) },
		"under a full cache": func(b *bench, i int) { lru(b, 40); b.take("leak", 1<<20) },
		"under accumulation": func(b *bench, i int) { sawtooth(b, i, 8); b.take("leak", 512) },
		"one longer a step": func(b *bench, i int) { // the number does not grow, the bytes do
			b.take("leak", int64(i+1)<<20)
			repeat(len(b.live["leak"]) > 1, func() { b.drop("leak", 1) })
		},
		"with a slow release": func(b *bench, i int) { // three made, two released
			b.take("leak", 2048)
			b.take("leak", 2048)
			b.take("leak", 2048)
			b.drop("leak", 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			told := 0
			var report growth.Report
			det := growth.Watch(b.d, growth.Config{OnSuspect: func(r growth.Report) { told++; report = r }})
			b.take("weights", 64<<20)
			suspected, last := b.run(det, 500, func(i int) { step(b, i) })
			if last != 10 || told != 1 {
				t.Errorf("suspected in %d steps, in %d of the last 10, told %d times:\n%v", suspected, last, told, det.Report())
			}
			if suspected > 500-8-128+1 {
				t.Errorf("suspected in %d steps, before a window was full", suspected)
			}
			if !report.Suspected || len(report.Sites) == 0 || report.Sites[0].Site.String() != "leak" || report.Sites[0].Bytes.PerStep < 0 {
				t.Errorf("the report does not name the site: %v", report)
			}
			for _, s := range report.Sites {
				if s.Site.String() != "leak" {
					t.Errorf("the report names %v", s.Site)
				}
			}
		})
	}
}

func repeat(yes bool, f func()) {
	if yes {
		f()
	}
}

// noise keeps between 0 and 9 buffers of varying sizes over the end of a step.
func noise(b *bench) {
	b.drop("noise", len(b.live["noise"]))
	for range b.rng.IntN(10) {
		b.take("noise", 1+b.rng.Int64N(1<<20))
	}
}

// lru is a cache of most entries that is full after a while.
func lru(b *bench, most int) {
	b.take("cache", 8192)
	if n := len(b.live["cache"]); n > most {
		b.drop("cache", n-most)
	}
}

// sawtooth adds for period steps and then drops all.
func sawtooth(b *bench, i, period int) {
	if i%period == 0 {
		b.drop("accumulate", len(b.live["accumulate"]))
	}
	b.take("accumulate", 1<<16)
}

// lives takes five buffers in the mean, and drops each with one chance in ten: what
// is alive wanders around 50.
func lives(b *bench) {
	for range b.rng.IntN(11) {
		b.take("request", 1+b.rng.Int64N(1<<16))
	}
	var keep []gpumem.Buffer
	for _, buf := range b.live["request"] {
		if b.rng.IntN(10) > 0 {
			keep = append(keep, buf)
			continue
		}
		if err := buf.Close(); err != nil {
			b.t.Error(err)
		}
	}
	b.live["request"] = keep
}

// tide rises and falls over a period that is longer than the window.
func tide(b *bench, i, period int) {
	want := 100 + int(80*math.Sin(float64(i)*2*math.Pi/float64(period)))
	for len(b.live["tide"]) < want {
		b.take("tide", 4096)
	}
	b.drop("tide", len(b.live["tide"])-want)
}

// TestNoLeaks must never be suspected.
func TestNoLeaks(t *testing.T) {
	for name, step := range map[string]func(b *bench, i int){
		"balanced":         func(b *bench, i int) { b.take("x", 512); b.drop("x", 1) },
		"noise":            func(b *bench, i int) { noise(b) },
		"cache, warmed up": func(b *bench, i int) { lru(b, 40) },
		"accumulation":     func(b *bench, i int) { sawtooth(b, i, 16) },
		"hand over": func(b *bench, i int) { // one site's buffers are replaced by another's, one a step
			if i < 100 {
				b.take("old", 4096)
			} else if len(b.live["old"]) > 0 {
				b.drop("old", 1)
				b.take("new", 4096)
			}
		},
		"shrinking": func(b *bench, i int) {
			if i == 0 {
				for range 1500 {
					b.take("x", 4096)
				}
			}
			b.drop("x", 1)
		},
		"nothing": func(b *bench, i int) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			warmup := 0
			if name == "hand over" {
				warmup = 110
			}
			det := growth.Watch(b.d, growth.Config{Warmup: warmup})
			if suspected, _ := b.run(det, 1500, func(i int) { step(b, i) }); suspected != 0 {
				t.Errorf("suspected in %d steps:\n%v", suspected, det.Report())
			}
			if r := det.Report(); r.Suspected || r.Steps != 1500 || b.d.Steps() != 1500 {
				t.Errorf("report %v", r)
			}
		})
	}
}

// TestSlowLeaksUnderNoise are seen in longer windows.
func TestSlowLeaksUnderNoise(t *testing.T) {
	for name, every := range map[string]int{"one a step": 1, "one in four": 4} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			var report growth.Report
			det := growth.Watch(b.d, growth.Config{OnSuspect: func(r growth.Report) { report = r }})
			suspected, _ := b.run(det, 3000, func(i int) {
				lives(b)
				repeat(i%every == 0, func() { b.take("leak", 512) })
			})
			if suspected < 1000 || len(report.Sites) == 0 || report.Sites[0].Site.String() != "leak" {
				t.Errorf("suspected in %d steps:\n%v", suspected, report)
			}
		})
	}
}

// TestSeries looks at many stationary series: a rising one is a false alarm.
func TestSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	alarms := 0
	const runs, steps = 200, 2000
	for range runs {
		s := growth.NewSeries(128)
		alarm := false
		for range steps {
			s.Add(rng.Int64N(100))
			alarm = alarm || s.Rising()
		}
		if alarm {
			alarms++
		}
	}
	if alarms > 0 {
		t.Errorf("%d of %d stationary series are taken for leaks", alarms, runs)
	}
	s := growth.NewSeries(16)
	for i := range int64(1000) {
		s.Add(3 * i)
	}
	if tr := s.Trend(); !tr.Rising || tr.PerStep != 3 || tr.Now != 2997 || tr.Growth != 3*14 {
		t.Errorf("a straight line: %+v", tr)
	}
	if tr := growth.NewSeries(1).Trend(); tr != (growth.Trend{}) {
		t.Errorf("nothing seen: %+v", tr)
	}
}

// TestRecovers: once the leak is mended the suspicion goes, and a second leak is
// told again.
func TestRecovers(t *testing.T) {
	b := newBench(t)
	told := 0
	det := growth.Watch(b.d, growth.Config{Window: 16, OnSuspect: func(growth.Report) { told++ }})
	leak := func(int) { b.take("leak", 512) }
	_, leaking := b.run(det, 60, leak)
	_, mended := b.run(det, 60, func(int) {})
	_, again := b.run(det, 60, leak)
	// A longer window may see the first leak once more after it was mended.
	if leaking != 10 || mended != 0 || again != 10 || told < 2 || told > 3 {
		t.Errorf("of the last ten steps %d, %d, %d suspected, and told %d times; want 10, 0, 10 and 2 or 3", leaking, mended, again, told)
	}
}

// TestOtherKinds counts streams as well.
func TestOtherKinds(t *testing.T) {
	b := newBench(t)
	det := growth.Watch(b.d, growth.Config{Window: 16})
	var streams []*gpumem.Stream
	_, last := b.run(det, 60, func(int) {
		s, err := b.d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	})
	r := det.Report()
	if last != 10 || len(r.Sites) != 1 || r.Sites[0].Kind != gpumem.KindStream || r.Sites[0].Count.PerStep != 1 {
		t.Errorf("%v", r)
	}
	for _, s := range streams {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func ExampleWatch() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Name: "demo GPU"}), gpumem.WithTracking(gpumem.TrackSite))
	if err != nil {
		fmt.Println(err)
		return
	}
	steps := growth.Watch(d, growth.Config{Window: 16, OnSuspect: func(r growth.Report) {
		fmt.Println(strings.ReplaceAll(r.String(), "\t", "  "))
	}})
	site := gpumem.RegisterSite("cache.go:88 cache.Append")
	for range 40 {
		if _, err := d.Alloc(1<<20, gpumem.At(site), gpumem.Tag("history")); err != nil { // and nobody closes it
			fmt.Println(err)
			return
		}
		steps.Step()
	}
	// Output:
	// demo GPU after 24 steps: leak suspected: 24 alive (+1 a step), 24.00 MiB (+1.00 MiB a step)
	//   cache.go:88 cache.Append: 24 buffers (+1 a step), 24.00 MiB (+1.00 MiB a step)
}
