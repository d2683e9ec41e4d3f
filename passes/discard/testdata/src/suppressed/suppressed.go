// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func probe(n int) bool {
	_, err := dev.New(n) //nolint:GM103 // the process ends after the probe
	return err == nil
}
