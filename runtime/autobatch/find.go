// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch

import (
	"context"
	"fmt"
)

// Result is what a search found.
type Result struct {
	Size   int     // the batch size, with the margin taken off
	Fits   int     // the largest size that was seen to fit
	Trials []Trial // in the order in which they were made
}

// Find gives the largest batch that fits; see [Search], which also tells how it
// came about.
func Find(ctx context.Context, c Config, step Step) (int, error) {
	r, err := Search(ctx, c, step)
	if err != nil {
		return 0, err
	}
	return r.Size, nil
}

// Search tries sizes. It starts with Init and doubles until a size does not fit
// or Max is reached, or halves until one fits; then it bisects. An error of
// step that is none of memory ends the search, as does ctx. Where nothing fits
// the error matches ErrNothingFits, and gpumem.ErrOutOfMemory if that is why.
//
// Step must do the work as it will be done, with the longest inputs: what is
// not tried is not found. It is called from one goroutine.
func Search(ctx context.Context, c Config, step Step) (*Result, error) {
	c, err := c.defaults()
	if err != nil {
		return nil, err
	}
	s := &search{c: c, step: step, result: &Result{}}
	low, high, err := s.bracket(ctx)
	if err != nil {
		return nil, err
	}
	if high > 0 && c.Mode == Bisect {
		if low, err = s.bisect(ctx, low, high); err != nil {
			return nil, err
		}
	}
	s.result.Fits, s.result.Size = low, low
	if high > 0 && c.Mode == Bisect {
		s.result.Size = max(int(float64(low)*(1-c.Margin)), 1)
	}
	if s.result.Size >= c.MultipleOf {
		s.result.Size -= s.result.Size % c.MultipleOf
	}
	return s.result, nil
}

type search struct {
	c      Config
	step   Step
	result *Result
	last   Trial // that did not fit
}

// fits tries a size.
func (s *search) fits(ctx context.Context, n int) (bool, error) {
	t, err := s.c.try(ctx, n, s.step)
	if err != nil {
		return false, err
	}
	s.result.Trials = append(s.result.Trials, t)
	if t.Outcome != Fits {
		s.last = t
	}
	return t.Outcome == Fits, nil
}

func (s *search) left() bool { return len(s.result.Trials) < s.c.Trials }

// bracket finds a size that fits and one that does not, which is 0 where none
// was met.
func (s *search) bracket(ctx context.Context) (low, high int, err error) {
	n := s.c.Init
	ok, err := s.fits(ctx, n)
	if err != nil {
		return 0, 0, err
	}
	for !ok { // downwards
		high = n
		if n /= 2; n == 0 || !s.left() {
			return 0, 0, s.nothing(high)
		}
		if ok, err = s.fits(ctx, n); err != nil {
			return 0, 0, err
		}
	}
	low = n
	for high == 0 && low < s.c.Max && s.left() { // upwards
		n = min(2*low, s.c.Max)
		if s.c.Mode == Power && n < 2*low {
			return low, 0, nil // Max is no power of two times Init
		}
		if ok, err = s.fits(ctx, n); err != nil {
			return 0, 0, err
		}
		if !ok {
			return low, n, nil
		}
		low = n
	}
	return low, high, nil
}

// bisect narrows the gap until it is a multiple that nobody asked for.
func (s *search) bisect(ctx context.Context, low, high int) (int, error) {
	for high-low > s.c.MultipleOf && s.left() {
		mid := low + (high-low)/2
		if m := mid - mid%s.c.MultipleOf; m > low {
			mid = m
		}
		ok, err := s.fits(ctx, mid)
		if err != nil {
			return 0, err
		}
		if ok {
			low = mid
		} else {
			high = mid
		}
	}
	return low, nil
}

// nothing is the error where the smallest size that was tried does not fit.
func (s *search) nothing(n int) error {
	if s.last.Err != nil {
		return fmt.Errorf("autobatch: %w: a batch of %d: %w", ErrNothingFits, n, s.last.Err)
	}
	return fmt.Errorf("autobatch: %w: a batch of %d empties the cache in each step", ErrNothingFits, n)
}

// Shrink runs step once with a batch of n, and again with half of it each time
// that it does not fit, and gives the size that did. It is for work that is
// done in earnest; Steps, Trials and the margin mean nothing here. Keep the
// size for the next call.
func Shrink(ctx context.Context, c Config, n int, step Step) (int, error) {
	c, err := c.defaults()
	if err != nil {
		return 0, err
	}
	c.Steps, c.ThrashRetries = 1, -1 // a step that was done is not done again
	s := &search{c: c, step: step, result: &Result{}}
	for size := max(n, 1); ; size /= 2 {
		ok, err := s.fits(ctx, size)
		if err != nil {
			return 0, err
		}
		if ok {
			return size, nil
		}
		if size == 1 {
			return 0, s.nothing(size)
		}
	}
}
