// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/torch"

func train(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		m.Forward(x).CrossEntropy(y).Backward()
		opt.Step() //nolint:GM502 // momentum by hand
	}
}
