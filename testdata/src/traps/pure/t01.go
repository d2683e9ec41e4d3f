// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/sugarme/gotch/ts"

// Each layer's output is the next one's input, and all are looked at after the
// loop: the drops belong to the end of the function.
func t01Forward(layers []ts.ModuleT, xs *ts.Tensor) *ts.Tensor {
	if len(layers) == 0 {
		return xs.MustShallowClone()
	}
	outs := make([]*ts.Tensor, len(layers))
	for i, l := range layers {
		if i == 0 {
			outs[i] = l.ForwardT(xs, false)
		} else {
			outs[i] = l.ForwardT(outs[i-1], false)
		}
		defer outs[i].MustDrop()
	}
	return outs[len(outs)-1].MustShallowClone()
}
