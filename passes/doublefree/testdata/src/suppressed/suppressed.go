// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func both(buf *dev.Buf) {
	buf.Free()
	buf.Free() //nolint:GM302 // this driver ignores it
}
