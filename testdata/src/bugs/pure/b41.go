// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/sugarme/gotch/ts"

// A temporary made in an argument list: the callee does not consume its
// arguments.
func b41AttentionBug(scores, mask *ts.Tensor) *ts.Tensor {
	return scores.MustMatmul(mask.MustUnsqueeze(2, false), false) // want GM103
}

func b41AttentionFixed(scores, mask *ts.Tensor) *ts.Tensor {
	wide := mask.MustUnsqueeze(2, false)
	out := scores.MustMatmul(wide, false)
	wide.MustDrop()
	return out
}
