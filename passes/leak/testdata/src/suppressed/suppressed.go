// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func weights(n int) {
	buf, err := dev.New(n) //nolint:gpumemlint // lives as long as the process
	if err == nil {
		buf.Fill(0)
	}
}
