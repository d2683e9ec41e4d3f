// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"
)

// TestMakespan checks schedules that can be worked out by hand.
func TestMakespan(t *testing.T) {
	// A base of 2, three users of 3 each, and a main of 1 that needs them all.
	tasks := []task{{cost: 2}, {cost: 3, after: []int{0}}, {cost: 3, after: []int{0}}, {cost: 3, after: []int{0}}, {cost: 1, after: []int{1, 2, 3}}}
	for n, want := range map[int]time.Duration{1: 12, 2: 9, 3: 6, 64: 6} {
		if got := makespan(tasks, n); got != want {
			t.Errorf("%d workers need %d, want %d", n, got, want)
		}
	}
	if got := criticalPath(tasks); got != 6 {
		t.Errorf("the longest chain takes %d, want 6", got)
	}
	// What much work waits for goes first: 1, then the chain beside the loner.
	tasks = []task{{cost: 4}, {cost: 1}, {cost: 3, after: []int{1}}}
	if got := makespan(tasks, 2); got != 4 {
		t.Errorf("2 workers need %d, want 4", got)
	}
	if makespan(nil, 3) != 0 || criticalPath(nil) != 0 {
		t.Error("nothing takes time")
	}
}
