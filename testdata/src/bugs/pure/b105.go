// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"context"

	"bugs/lib/gpu"
)

// When the planner gives up first, the solver's goroutine blocks in its send.
func b105PlanBug(ctx context.Context, solver *gpu.Context, seed func()) error {
	errs := make(chan error)
	go func() { // want GM204
		errs <- solver.Do(seed)
	}()
	select {
	case err := <-errs:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func b105PlanFixed(ctx context.Context, solver *gpu.Context, seed func()) error {
	errs := make(chan error, 1)
	go func() {
		errs <- solver.Do(seed)
	}()
	select {
	case err := <-errs:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
