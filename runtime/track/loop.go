// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"cmp"
	"slices"
)

// How much is kept of loops: runs of one loop in a test, samples of one run.
const (
	maxRuns    = 16
	maxSamples = 64
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
	p := sample{iteration: s.iteration, live: map[*site]int{}}
	for at, c := range top.counts {
		p.live[at] = c.live
	}
	r.samples = append(r.samples, p)
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
	loop := Loop{Iterations: r.iterations}
	if len(r.samples) < 2 {
		return loop, false
	}
	sites := map[*site]bool{}
	for _, p := range r.samples {
		for at := range p.live {
			sites[at] = true
		}
	}
	for at := range sites {
		s := Series{Site: at.number}
		varies := false
		for _, p := range r.samples {
			s.Points = append(s.Points, [2]int{p.iteration, p.live[at]})
			varies = varies || p.live[at] != r.samples[0].live[at]
		}
		if varies {
			loop.Series = append(loop.Series, s)
		}
	}
	slices.SortFunc(loop.Series, func(a, b Series) int { return cmp.Compare(a.Site, b.Site) })
	return loop, len(loop.Series) > 0
}
