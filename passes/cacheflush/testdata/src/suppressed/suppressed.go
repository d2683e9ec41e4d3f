// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func steps(n int, step func()) {
	for range n {
		step()
		dev.EmptyCache() //nolint:GM503 // another process needs the memory between steps
	}
}
