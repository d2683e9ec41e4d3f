// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Error is a driver call that failed. errors.Is(err, gpumem.ErrOutOfMemory)
// holds for CUDA's error 2 and for no other: the errors from 700 on say that
// the context is broken, and trying again doesn't mend it.
type Error struct {
	Call string // the function, such as cuMemAlloc
	Code int    // CUresult
	Name string // CUDA_ERROR_…
	Text string // the driver's explanation, maybe empty
}

// Error gives the call, the name and the number: what one searches the web for.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Is matches gpumem.ErrOutOfMemory.
func (e *Error) Is(target error) bool {
	return target == gpumem.ErrOutOfMemory && e.Code == outOfMemory
}

// both joins two errors, of which either may be nil, on one line.
func both(first, second error) error {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	return fmt.Errorf("%w; then %w", first, second)
}
