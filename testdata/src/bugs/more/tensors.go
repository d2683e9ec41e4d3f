// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package more holds further leaks in the style of working programs, written
// after the engine: each want comment names the rule that must report its line.
package more

import (
	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// norm keeps an intermediate.
func norm(x *ts.Tensor) *ts.Tensor {
	sq := x.MustMul(x, false) // want GM102
	return sq.MustSum(gotch.Float, false)
}

// mix drops on one branch only.
func mix(a, b *ts.Tensor, half bool) (*ts.Tensor, error) {
	c, err := a.Matmul(b, false)
	if err != nil {
		return nil, err
	}
	if half {
		d, err := c.View([]int64{-1}, false)
		if err != nil {
			return nil, err // want GM101
		}
		c.MustDrop()
		return d, nil
	}
	return c, nil
}

// last keeps only the last of its steps.
func last(xs *ts.Tensor, n int64) *ts.Tensor {
	var cur *ts.Tensor
	for i := int64(0); i < n; i++ {
		cur = xs.MustNarrow(0, i, 1, false) // want GM104
	}
	return cur
}

// losses makes a temporary in an argument list in each step.
func losses(net ts.ModuleT, xs, ys *ts.Tensor, steps int) float64 {
	sum := 0.0
	for i := 0; i < steps; i++ {
		out := net.ForwardT(xs.MustUnsqueeze(0, false), true) // want GM103
		loss := out.MustCrossEntropyForLogits(ys)
		sum += loss.Float64Values(true)[0]
		out.MustDrop()
	}
	return sum
}
