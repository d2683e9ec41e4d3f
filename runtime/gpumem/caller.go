// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "runtime"

// CallerSite gives the place that allocations are to be blamed on by a helper that
// allocates for others: skip 0 is the function that calls CallerSite, 1 its
// caller. Pass it with [At]. It remembers as much as the device tracks, and is 0
// where that is nothing.
func (d *Device) CallerSite(skip int) SiteID {
	if d.tracking == TrackOff {
		return 0
	}
	return callerSite(d.tracking, skip+1)
}

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
