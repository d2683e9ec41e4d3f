// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func firstRow(n int) *dev.Mat {
	batch := dev.NewMat(1, n)
	defer batch.Close()
	return batch.Row(0) //nolint:GM205 // there is only one
}
