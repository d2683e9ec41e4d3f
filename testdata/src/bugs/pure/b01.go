// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/mlx"

// A prefill loop defers the release of every chunk's output to the end of the
// request, and the temporaries of its arguments are never released.
func b01PrefillBug(m *mlx.Model, tokens [][]int32) {
	for _, chunk := range tokens {
		in := mlx.FromValues(chunk)
		out := m.Forward(in)
		in.Free()
		defer out.Free() // want GM105
		mlx.Eval(out)
	}
}

func b01PrefillFixed(m *mlx.Model, tokens [][]int32) {
	for _, chunk := range tokens {
		in := mlx.FromValues(chunk)
		out := m.Forward(in)
		in.Free()
		mlx.Eval(out)
		out.Free()
	}
}
