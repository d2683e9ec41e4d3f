// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package growth

import (
	"math"
	"slices"
)

// parts is what a window is cut into. Of values that come and go without a
// trend, the least of eight parts rise from each to the next once in 8! = 40320
// windows.
const parts = 8

// maxLevels bounds the windows: the longest is 2^19 times the shortest.
const maxLevels = 20

// steady is how large the mean of the increments must be, in their own standard
// deviations. A leak adds about the same in each part; what wanders does not.
const steady = 2

// Series tells whether the least of a quantity keeps rising, looking at windows
// of many lengths at once: a fast leak shows in a short one, a slow leak under
// noise in a long one. It needs memory for the logarithm of what it has seen.
// It is not safe for use by several goroutines.
type Series struct {
	part   int // values in a part of the shortest window
	n      int // values in the part that is being filled
	least  int64
	last   int64
	levels []level
}

// level has the least values of the last parts of one length, oldest first.
type level struct {
	ring    []int64
	pushed  int64
	carry   int64 // of an odd number of parts the last, for the level above
	before  int64 // the largest least value that has left the ring
	rising  bool
	dropped bool // whether something has left the ring
}

// NewSeries makes a series whose shortest window has so many values, eight at
// least.
func NewSeries(window int) *Series {
	return &Series{part: max(window/parts, 1)}
}

// Add adds the next value.
func (s *Series) Add(v int64) {
	if s.n == 0 || v < s.least {
		s.least = v
	}
	s.last = v
	if s.n++; s.n == s.part {
		s.push(0, s.least)
		s.n = 0
	}
}

// push adds a finished part to a level, and every second one to the level above.
func (s *Series) push(at int, v int64) {
	if at == maxLevels {
		return
	}
	if at == len(s.levels) {
		s.levels = append(s.levels, level{})
	}
	l := &s.levels[at]
	if len(l.ring) == parts {
		if !l.dropped || l.ring[0] > l.before {
			l.before, l.dropped = l.ring[0], true
		}
		copy(l.ring, l.ring[1:])
		l.ring[parts-1] = v
	} else {
		l.ring = append(l.ring, v)
	}
	l.rising = l.rises()
	l.pushed++
	if l.pushed%2 == 1 {
		l.carry = v
		return
	}
	s.push(at+1, min(l.carry, v)) // l is not used after: the slice may move
}

// rises compares the parts of a window: each least is above that of the one
// before, by about the same, and the last above all that were ever seen.
func (l *level) rises() bool {
	if len(l.ring) < parts || l.dropped && l.ring[parts-1] <= l.before {
		return false
	}
	var mean, square float64
	for i := 1; i < parts; i++ {
		d := float64(l.ring[i] - l.ring[i-1])
		if d <= 0 {
			return false
		}
		mean += d / (parts - 1)
		square += d * d / (parts - 1)
	}
	return mean >= steady*math.Sqrt(max(square-mean*mean, 0))
}

// Rising says whether the least rises over one of the windows.
func (s *Series) Rising() bool {
	return slices.ContainsFunc(s.levels, func(l level) bool { return l.rising })
}

// Trend gives the last value, and the growth over the shortest window over which
// the least rises, or over the shortest there is.
func (s *Series) Trend() Trend {
	t := Trend{Now: s.last}
	at := max(slices.IndexFunc(s.levels, func(l level) bool { return l.rising }), 0)
	if len(s.levels) == 0 {
		return t
	}
	l := &s.levels[at]
	t.Rising = l.rising
	if n := len(l.ring); n > 1 {
		t.Growth = l.ring[n-1] - l.ring[0]
		t.PerStep = float64(t.Growth) / float64(n-1) / float64(s.part) / math.Pow(2, float64(at))
	}
	return t
}

// late makes s look as if it had seen zeros for as long as o has seen values: it
// is for something that appears while others are watched.
func (s *Series) late(o *Series) {
	s.n, s.least = o.n, 0
	for i := range o.levels {
		l := &o.levels[i]
		s.levels = append(s.levels, level{ring: make([]int64, len(l.ring), parts), pushed: l.pushed, dropped: l.dropped})
	}
}

// gone reports whether nothing but zeros is left in the shortest window.
func (s *Series) gone() bool {
	return s.last == 0 && len(s.levels) > 0 && len(s.levels[0].ring) == parts && slices.Max(s.levels[0].ring) == 0
}
