// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// thrash notices that PolicyBest gives back what is asked for again at once: a
// loop that alternates between two sizes just below the line would otherwise
// call the driver in every iteration. It then lets reserved bytes exceed the
// line by what the loop needs. A program that reshapes its memory now and then
// does not trigger it. Device.slow guards it.
type thrash struct {
	at    [thrashSheds]int64 // requests served when room was last made, a ring
	n     int
	slack int64 // bytes above the line
}

const (
	// thrashSheds times of making room within thrashSpan requests are too many.
	thrashSheds = 64
	thrashSpan  = 3 * thrashSheds / 2
	// thrashShare and thrashLeast bound the slack: a part of the peak of active
	// bytes, but always enough for a few small segments.
	thrashShare = 0.1
	thrashLeast = 64 * mib
)

// shed records that room was made for growth bytes, after requests were served
// in all, and reports whether to let it grow instead.
func (t *thrash) shed(requests, growth, peakActive int64) bool {
	oldest := t.at[t.n%thrashSheds]
	t.at[t.n%thrashSheds] = requests
	t.n++
	if t.n <= thrashSheds || requests-oldest > thrashSpan {
		return false
	}
	if t.slack+growth > max(thrashLeast, int64(thrashShare*float64(peakActive))) {
		return false // a little memory for many calls, not all of it
	}
	t.slack += growth
	t.n = 0
	return true
}
