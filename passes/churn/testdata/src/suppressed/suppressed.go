// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func each(values []byte) {
	for _, v := range values {
		b := dev.NewShaped(1) //nolint:GM504 // once a day
		b.Fill(v)
		b.Free()
	}
}
