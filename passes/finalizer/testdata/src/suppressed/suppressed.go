// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import (
	"runtime"

	"example.com/dev"
)

type value struct{ h dev.Handle }

func captures() *value {
	v := &value{h: dev.Open()}
	runtime.SetFinalizer(v, func(*value) { dev.Close(v.h) }) //nolint:GM402 // kept for good
	return v
}
