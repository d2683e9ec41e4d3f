// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

var seen []*dev.Buf

func remember(b *dev.Buf) {
	seen = append(seen, b) //nolint:GM201 // a tool that runs for a second
}
