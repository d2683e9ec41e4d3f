// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func twice(img dev.Mat) {
	other := img
	other.Close()
	img.Close() //nolint:GM403 // counted
}
