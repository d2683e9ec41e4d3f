// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func view(buf *dev.Buf) []byte {
	v := buf.View()
	buf.Free()
	return v //nolint:gpumemlint // unified memory, which stays mapped
}
