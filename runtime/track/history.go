// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

// A history is how the live count of a site went, by event number. It is
// thinned as it grows: what stays is evenly spaced, and has the first point, the
// highest and the last.
type history [][2]int

// add appends a point.
func (h *history) add(event int64, live int) {
	if len(*h) >= 4*maxSamples {
		*h = h.thin((*h)[:0], 2*maxSamples)
	}
	*h = append(*h, [2]int{int(event), live})
}

// thin writes at most n points to out, which may begin where h does.
func (h history) thin(out history, n int) history {
	if len(h) <= n {
		return append(out, h...)
	}
	peak := 0
	for i, p := range h {
		if p[1] > h[peak][1] {
			peak = i
		}
	}
	last := -1
	keep := func(i int) {
		if i > last {
			out = append(out, h[i])
			last = i
		}
	}
	// One place is left for the peak.
	for k := 0; k < n-1; k++ {
		i := k * (len(h) - 1) / (n - 2)
		if last < peak && peak < i {
			keep(peak)
		}
		keep(i)
	}
	return out
}
