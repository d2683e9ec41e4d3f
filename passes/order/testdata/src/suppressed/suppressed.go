// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func release(c *dev.Context, b *dev.Buf) {
	c.Close() //nolint:GM505 // this driver counts references
	b.Free()
}
