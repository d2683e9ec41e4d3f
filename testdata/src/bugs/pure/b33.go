// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"github.com/sugarme/gotch/nn"
	"github.com/sugarme/gotch/ts"
)

// A training loop drops some of its temporaries and not the others.
func b33TrainBug(data *ts.Tensor, net ts.ModuleT, opt *nn.Optimizer, steps int64) {
	for i := int64(0); i < steps; i++ {
		batch := data.MustNarrow(0, i, 32, false) // want GM102
		out := net.ForwardT(batch, true)
		loss := out.MustCrossEntropyForLogits(batch)
		opt.BackwardStep(loss)
		loss.MustDrop()
		out.MustDrop()
	}
}

func b33TrainFixed(data *ts.Tensor, net ts.ModuleT, opt *nn.Optimizer, steps int64) {
	for i := int64(0); i < steps; i++ {
		batch := data.MustNarrow(0, i, 32, false)
		out := net.ForwardT(batch, true)
		loss := out.MustCrossEntropyForLogits(batch)
		opt.BackwardStep(loss)
		loss.MustDrop()
		out.MustDrop()
		batch.MustDrop()
	}
}
