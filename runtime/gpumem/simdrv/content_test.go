// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestContent checks copies at odd addresses, that memory comes back empty, and
// that only memory can be copied to.
func TestContent(t *testing.T) {
	d := simdrv.New(simdrv.Config{Capacity: 8 << 20})
	p, err := d.Alloc(2 << 20)
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("device memory "), 1000)
	if err := d.CopyIn(p+4093, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text)+8)
	if err := d.CopyOut(got, p+4089); err != nil {
		t.Fatal(err)
	}
	want := append(make([]byte, 4), append(text, 0, 0, 0, 0)...)
	if !bytes.Equal(got, want) {
		t.Error("what was read is not what was written")
	}
	for name, err := range map[string]error{
		"past the end":  d.CopyIn(p+2<<20-4, make([]byte, 8)),
		"before it":     d.CopyOut(make([]byte, 8), p-4),
		"nowhere":       d.CopyIn(42, []byte{1}),
		"reserved only": copyToReserved(t, d),
	} {
		if !errors.Is(err, gpumem.ErrForeignPointer) {
			t.Errorf("copy %s: %v, want a foreign pointer", name, err)
		}
	}
	if err := d.Free(p); err != nil {
		t.Fatal(err)
	}
	q, err := d.Alloc(2 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CopyOut(got, q+4089); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, make([]byte, len(got))) {
		t.Error("freed memory keeps its content")
	}
	if err := errors.Join(d.Free(q), d.Close()); err != nil {
		t.Error(err)
	}
	if err := d.CopyIn(q, []byte{1}); !errors.Is(err, simdrv.ErrClosed) {
		t.Errorf("copy to a closed device: %v", err)
	}
}

func copyToReserved(t *testing.T, d *simdrv.Device) error {
	p, err := d.Reserve(4 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Map(p, 2<<20, 2<<20); err != nil {
		t.Fatal(err)
	}
	if err := d.CopyIn(p+1<<20, []byte{1, 2}); err != nil {
		t.Errorf("copy to mapped memory: %v", err)
	}
	copyErr := d.CopyIn(p+2<<20-1, []byte{1, 2})
	if err := errors.Join(d.Unmap(p, 2<<20), d.Release(p, 4<<20)); err != nil {
		t.Error(err)
	}
	return copyErr
}
