// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// traces gives the recordings that PyTorch made.
func traces(t testing.TB) map[string]*Trace {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in testdata: %v", err)
	}
	out := map[string]*Trace{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[tr.Name] = tr
	}
	return out
}

// TestPyTorchExact replays each recording and wants PyTorch's own numbers and
// every buffer at PyTorch's own address.
func TestPyTorchExact(t *testing.T) {
	for name, tr := range traces(t) {
		t.Run(name, func(t *testing.T) {
			r, err := Run(tr, Options{Policy: gpumem.PolicyPyTorch})
			if err != nil {
				t.Fatal(err)
			}
			got := Recorded{PeakRequested: r.PeakRequested, PeakActive: r.PeakActive, PeakReserved: r.PeakReserved,
				DriverAllocs: r.DriverAllocs, DriverFrees: r.DriverFrees, Syncs: tr.Recorded.Syncs, Retries: r.AllocRetries}
			if got != *tr.Recorded {
				t.Errorf("got %+v, PyTorch had %+v", got, *tr.Recorded)
			}
			if r.Moved != 0 {
				t.Errorf("%d of the buffers have another address than in PyTorch", r.Moved)
			}
		})
	}
}
