// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Mode is how Find looks for the size.
type Mode uint8

const (
	// Bisect doubles, and then halves the gap between what fits and what does
	// not. It is the default.
	Bisect Mode = iota
	// Power only doubles: the result is Init times a power of two.
	Power
)

// Config says how to search. The zero value of each field but Device is its
// default.
type Config struct {
	Device *gpumem.Device // what step allocates on, through the scope or not

	Init int // the first size; 2
	Max  int // the largest size; 8192
	Mode Mode
	// Margin is the share by which a bisected size is made smaller, so that
	// sequences that are a little longer fit too; 0.05. Negative is none.
	Margin float64
	// MultipleOf rounds the result down to a multiple of it, as kernels like;
	// 1. A size below it is left as it is.
	MultipleOf int

	Steps  int // how often each size is run; 3
	Trials int // how many sizes are tried; 25

	// ThrashRetries is in how many steps on end the allocator may have to empty
	// its cache before the size counts as too large; 2. Negative is any number.
	ThrashRetries int

	// OutOfMemory tells errors of other allocators in the step from real ones,
	// such as cuDNN's; those that match gpumem.ErrOutOfMemory are known.
	OutOfMemory func(error) bool
	// Report is told of each size that was tried; it may be nil.
	Report func(Trial)
}

// Step is one step of the work with a batch of n. What it allocates through s
// is closed when it returns.
type Step func(ctx context.Context, n int, s *gpumem.Scope) error

// Outcome is why a size was kept or not.
type Outcome string

// The outcomes.
const (
	Fits      Outcome = "fits"
	NoMemory  Outcome = "out of memory"
	Thrashing Outcome = "thrashing"
)

// Trial is one size that was tried.
type Trial struct {
	Size    int
	Outcome Outcome
	Peak    int64 // most active bytes meanwhile, of the whole device
	Retries int64 // how often the cache had to be emptied
	Took    time.Duration
	Err     error // of the allocation that failed; nil otherwise
}

// ErrNothingFits is matched by the error of Find and Shrink where not even a
// batch of one fits.
var ErrNothingFits = errors.New("no batch fits")

// defaults fills in what was left out.
func (c Config) defaults() (Config, error) {
	if c.Device == nil {
		return c, fmt.Errorf("autobatch: Config.Device is missing: %w", gpumem.ErrInvalid)
	}
	for _, f := range []struct {
		name  string
		field *int
		value int
	}{{"Init", &c.Init, 2}, {"Max", &c.Max, 8192}, {"Steps", &c.Steps, 3}, {"Trials", &c.Trials, 25}, {"MultipleOf", &c.MultipleOf, 1}} {
		if *f.field < 0 {
			return c, fmt.Errorf("autobatch: Config.%s is %d, below 0: %w", f.name, *f.field, gpumem.ErrInvalid)
		}
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if c.Margin >= 1 || c.Margin != c.Margin {
		return c, fmt.Errorf("autobatch: Config.Margin is %g, which leaves nothing: %w", c.Margin, gpumem.ErrInvalid)
	}
	if c.Margin == 0 {
		c.Margin = 0.05
	}
	c.Margin = max(c.Margin, 0)
	if c.ThrashRetries == 0 {
		c.ThrashRetries = 2
	}
	c.Init = min(c.Init, c.Max)
	return c, nil
}

// noMemory says whether a step failed for want of device memory.
func (c *Config) noMemory(err error) bool {
	return errors.Is(err, gpumem.ErrOutOfMemory) || c.OutOfMemory != nil && c.OutOfMemory(err)
}
