// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"time"
)

// A task is one action. Those that it waits for come before it in the list.
type task struct {
	name  string
	cost  time.Duration
	after []int
}

// tails returns for each task how long it and what waits for it take at least.
func tails(tasks []task) []time.Duration {
	tail := make([]time.Duration, len(tasks))
	for i := len(tasks) - 1; i >= 0; i-- {
		tail[i] += tasks[i].cost // by now the longest of those that wait
		for _, j := range tasks[i].after {
			tail[j] = max(tail[j], tail[i])
		}
	}
	return tail
}

// criticalPath is the time that no number of workers can go below.
func criticalPath(tasks []task) time.Duration {
	if len(tasks) == 0 {
		return 0
	}
	return slices.Max(tails(tasks))
}

// makespan is the time that n workers need if each takes, whenever it is free,
// the task that can start and that most work waits for.
func makespan(tasks []task, n int) time.Duration {
	tail := tails(tasks)
	waits := make([]int, len(tasks))
	next := make([][]int, len(tasks))
	var ready []int
	for i, t := range tasks {
		waits[i] = len(t.after)
		for _, j := range t.after {
			next[j] = append(next[j], i)
		}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	type job struct {
		end  time.Duration
		task int
	}
	var running []job
	now := time.Duration(0)
	for len(ready) > 0 || len(running) > 0 {
		slices.SortStableFunc(ready, func(a, b int) int { return int(tail[b] - tail[a]) })
		for len(ready) > 0 && len(running) < n {
			running = append(running, job{now + tasks[ready[0]].cost, ready[0]})
			ready = ready[1:]
		}
		slices.SortStableFunc(running, func(a, b job) int { return int(a.end - b.end) })
		done := running[0]
		running, now = running[1:], done.end
		for _, i := range next[done.task] {
			if waits[i]--; waits[i] == 0 {
				ready = append(ready, i)
			}
		}
	}
	return now
}
