// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/examples/prove/device"
)

const mib = 1 << 20

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(256 * mib)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBatch(t *testing.T) {
	b, err := NewBatch(open(t), mib)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWarmUp(t *testing.T) {
	if err := WarmUp(open(t), mib); err != nil {
		t.Fatal(err)
	}
}

func TestServe(t *testing.T) {
	got, err := Serve(open(t), []int{mib, 2 * mib, 3 * mib, 4 * mib})
	if want := 10 * mib; got != want || err != nil {
		t.Fatalf("served %d bytes, %v; want %d", got, err, want)
	}
}

func TestProbe(t *testing.T) {
	if !Probe(open(t), "Alloc", mib) {
		t.Fatal("no memory")
	}
}
