// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/mlx"

// The success path clears the buffer cache, the error path does not.
func b09GenerateBug(n int) error {
	w := mlx.BeginWork()
	for i := 0; i < n; i++ {
		if err := step(w.Steps()); err != nil {
			return err // want GM101
		}
	}
	w.Clear()
	return nil
}

func b09GenerateFixed(n int) error {
	w := mlx.BeginWork()
	for i := 0; i < n; i++ {
		if err := step(w.Steps()); err != nil {
			w.Clear()
			return err
		}
	}
	w.Clear()
	return nil
}
