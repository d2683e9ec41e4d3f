// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "runtime"

// callerSite interns the stack from skip frames above its caller on: 0 is the
// caller itself.
func callerSite(t Tracking, skip int) SiteID {
	if t == TrackSite {
		var pc [1]uintptr
		return InternStack(pc[:runtime.Callers(skip+2, pc[:])])
	}
	var pcs [maxFrames]uintptr
	return InternStack(pcs[:runtime.Callers(skip+2, pcs[:])])
}
