// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"testing"

	ort "github.com/yalue/onnxruntime_go"
)

// helperTensor registers the release with the test.
func helperTensor(t testing.TB, n int64) *ort.Tensor[float32] {
	t.Helper()
	x, err := ort.NewEmptyTensor[float32](ort.NewShape(n))
	if err != nil {
		t.Fatalf("new tensor: %v", err)
	}
	t.Cleanup(func() {
		if err := x.Destroy(); err != nil {
			t.Errorf("destroy: %v", err)
		}
	})
	return x
}

// TestSum is a table test over helpers.
func TestSum(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int64
	}{{"one", 1}, {"two", 2}} {
		t.Run(tt.name, func(t *testing.T) {
			x := helperTensor(t, tt.n)
			y := helperTensor(t, tt.n)
			if len(x.GetData()) != len(y.GetData()) {
				t.Fatal("different sizes")
			}
		})
	}
}

// BenchmarkNew makes and destroys one a round.
func BenchmarkNew(b *testing.B) {
	for i := 0; i < b.N; i++ {
		x, err := ort.NewEmptyTensor[float32](ort.NewShape(1))
		if err != nil {
			b.Fatal(err)
		}
		x.Destroy()
	}
}
