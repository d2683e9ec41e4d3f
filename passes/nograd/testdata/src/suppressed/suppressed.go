// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/torch"

func accuracy(m torch.Module, x, y *torch.Tensor) float64 {
	return m.ForwardT(x, false).Accuracy(y).Float() //nolint:GM501 // one image
}
