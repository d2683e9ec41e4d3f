// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch

import (
	"context"
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// try runs one size. The error is that of the step where it is none of memory.
func (c *Config) try(ctx context.Context, n int, step Step) (Trial, error) {
	t := Trial{Size: n, Outcome: Fits}
	began := time.Now()
	phase := c.Device.Phase("autobatch")
	err := c.run(ctx, &t, step)
	t.Peak, t.Took = phase.End().Peak, time.Since(began)
	if err == nil && t.Outcome != Fits {
		// What was cached for this size is in the way of the next. This is the
		// one place where emptying the cache is right: after a failure.
		_, err = c.Device.Trim(0)
	}
	if err != nil {
		return t, fmt.Errorf("autobatch: batch of %d: %w", n, err)
	}
	if c.Report != nil {
		c.Report(t)
	}
	return t, nil
}

// run runs the steps of a trial until one does not fit.
func (c *Config) run(ctx context.Context, t *Trial, step Step) error {
	var s gpumem.Stats
	c.Device.ReadStats(&s)
	first, retries, onEnd := s.NumAllocRetries, s.NumAllocRetries, 0
	live, grew := int64(0), 0
	for i := range c.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := c.Device.Run(ctx, func(ctx context.Context, s *gpumem.Scope) error { return step(ctx, t.Size, s) })
		c.Device.ReadStats(&s)
		t.Retries = s.NumAllocRetries - first
		switch {
		case err != nil && c.noMemory(err):
			t.Outcome, t.Err = NoMemory, err
			return nil
		case err != nil:
			return err
		}
		if s.NumAllocRetries > retries {
			onEnd++
		} else {
			onEnd = 0
		}
		retries = s.NumAllocRetries
		if c.ThrashRetries > 0 && onEnd >= c.ThrashRetries {
			t.Outcome = Thrashing
			return nil
		}
		// The first step may make what is kept, such as an optimizer's state.
		if i > 0 && s.Allocation.All.Current > live {
			grew++
		}
		live = s.Allocation.All.Current
	}
	if grew > 1 && grew == c.Steps-1 {
		return fmt.Errorf("each of %d steps left more buffers alive than the one before, %d now, so that every later size seems too large; close them, or allocate them through the scope: %w",
			c.Steps, live, gpumem.ErrLeak)
	}
	return nil
}
