// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func inspect(buf *dev.Buf) int {
	buf.Free()
	return buf.Len() //nolint:GM301 // the length is kept on our side
}
