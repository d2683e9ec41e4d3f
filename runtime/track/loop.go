// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// How much is kept of loops: runs of one loop in a test, samples of one run.
const (
	maxRuns    = 16
	maxSamples = 64
	maxSweeps  = 64 // collections that loops of a test may ask for
)

// LoopState is one run of one loop. It costs a comparison an iteration while
// nothing is acquired.
type LoopState struct {
	n, iteration int
	acquired     uint64
	run          *loopRun
	idle         bool // nobody will ask
}

// loopRun is a run of a loop in which something was acquired. The ledger's
// lock guards it.
type loopRun struct {
	iterations int
	stride     int // one sample every so many iterations
	samples    []sample
	swept      []sample // of classes with a backstop, right after a collection
}

type sample struct {
	iteration int
	live      map[*site]int
}

// Enter says that a loop is about to begin.
func Enter(n int) LoopState {
	return LoopState{n: n, acquired: std.acquired.Load(), idle: !std.on}
}

// Next says that an iteration begins.
func (s *LoopState) Next() {
	if s.idle {
		return
	}
	if s.run == nil && std.acquired.Load() == s.acquired {
		s.iteration++
		return // nothing was acquired by anybody since the loop began
	}
	std.sample(s)
	s.iteration++
}

func (l *ledger) sample(s *LoopState) {
	swept := s.iteration >= 2 && s.iteration&(s.iteration-1) == 0 && l.collect()
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.tests.current()
	if x == nil || x.top.ended {
		s.idle = true // in nobody's account
		return
	}
	top := x.top
	if s.run == nil {
		if len(top.loops[s.n]) >= maxRuns {
			s.idle = true
			return
		}
		s.run = &loopRun{stride: 1}
		top.loops[s.n] = append(top.loops[s.n], s.run)
	}
	r := s.run
	r.iterations = s.iteration + 1
	if swept {
		r.swept = append(r.swept, l.take(s.iteration, top, true))
	}
	if s.iteration%r.stride != 0 {
		return
	}
	if len(r.samples) == maxSamples {
		// Full: keep those of every second, and take half as many from now on.
		r.stride *= 2
		r.samples = slices.DeleteFunc(r.samples, func(p sample) bool { return p.iteration%r.stride != 0 })
		if s.iteration%r.stride != 0 {
			return
		}
	}
	r.samples = append(r.samples, l.take(s.iteration, top, false))
}

// take is the live counts of a test now, of the sites whose class has a
// backstop or of those whose class has none.
func (l *ledger) take(iteration int, top *test, backstop bool) sample {
	p := sample{iteration: iteration, live: map[*site]int{}}
	for at, c := range top.counts {
		if l.class(at.class).Backstop == backstop {
			p.live[at] = c.live
		}
	}
	return p
}

// collect runs Go's garbage collector, if the test has anything that it may
// free, and reports whether it has. Garbage that nobody has collected yet
// grows like a cache does. That is done at iterations 2, 4, 8 and so on only,
// and so many times a test.
func (l *ledger) collect() bool {
	l.mu.Lock()
	x := l.tests.current()
	if x == nil || x.top.ended || x.top.sweeps >= maxSweeps {
		l.mu.Unlock()
		return false
	}
	found := false
	for at, c := range x.top.counts {
		found = found || c.live > 0 && l.class(at.class).Backstop
	}
	if found {
		x.top.sweeps++
	}
	l.mu.Unlock()
	if found {
		runtime.GC() // runs finalizers
		runtime.GC() // frees what they have let go
		time.Sleep(time.Millisecond)
	}
	return found
}

// loopsOf are the loops of a test in which something was acquired and at
// least two iterations were seen.
func (l *ledger) loopsOf(x *test) []Loop {
	var list []Loop
	for n, runs := range x.loops {
		if n >= len(l.table.Loops) {
			continue
		}
		at := l.table.Loops[n]
		for _, r := range runs {
			if loop, ok := r.series(); ok {
				loop.File, loop.Line = at.File, at.Line
				list = append(list, loop)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// series turns the samples of a run into one series a site; sites whose count never
// changed say nothing and are left out.
func (r *loopRun) series() (Loop, bool) {
	loop := Loop{Iterations: r.iterations, Series: append(seriesOf(r.samples), seriesOf(r.swept)...)}
	slices.SortFunc(loop.Series, func(a, b Series) int { return cmp.Compare(a.Site, b.Site) })
	return loop, len(loop.Series) > 0
}

func seriesOf(samples []sample) (list []Series) {
	if len(samples) < 2 {
		return nil
	}
	sites := map[*site]bool{}
	for _, p := range samples {
		for at := range p.live {
			sites[at] = true
		}
	}
	for at := range sites {
		s := Series{Site: at.number}
		varies := false
		for _, p := range samples {
			s.Points = append(s.Points, [2]int{p.iteration, p.live[at]})
			varies = varies || p.live[at] != samples[0].live[at]
		}
		if varies {
			list = append(list, s)
		}
	}
	return list
}
