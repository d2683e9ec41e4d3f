// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// TestBest wants PolicyBest to waste little on every recording, without
// keeping the driver busy.
func TestBest(t *testing.T) {
	const mostCalls = 8 // times PyTorch's own
	for name, tr := range traces(t) {
		for segments, least := range map[Segments]float64{SegmentsPlain: 0.93, SegmentsVMM: 0.985} {
			if name == "two_streams" {
				least = 0.75 // PyTorch: 0.34
			}
			r, err := Run(tr, Options{Policy: gpumem.PolicyBest, Segments: segments})
			if err != nil {
				t.Fatal(err)
			}
			calls := float64(r.DriverAllocs + r.DriverFrees)
			ratio := calls / float64(tr.Recorded.DriverAllocs+tr.Recorded.DriverFrees)
			t.Logf("%s, %s: utilisation %.4f, %.0f driver calls, %.1f times PyTorch's", name, r.Segments, r.Utilization, calls, ratio)
			if r.Utilization < least {
				t.Errorf("%s, %s: utilisation is %.4f, want at least %g", name, r.Segments, r.Utilization, least)
			}
			if ratio > mostCalls {
				t.Errorf("%s, %s: %.0f driver calls are %.1f times PyTorch's, want at most %d", name, r.Segments, calls, ratio, mostCalls)
			}
			if r.PeakRequested > tr.Recorded.PeakRequested {
				t.Errorf("%s, %s: %d bytes were requested at the peak, PyTorch's program requested %d", name, r.Segments, r.PeakRequested, tr.Recorded.PeakRequested)
			}
		}
	}
}
