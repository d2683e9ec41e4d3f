// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"errors"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestViewCloseOrder closes a buffer and two views in every order: the buffer
// is open until it is closed itself, and the memory goes with the last of them.
func TestViewCloseOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		d := openSim(t, simdrv.Config{})
		b, err := d.Alloc(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.View(0, 512)
		if err != nil {
			t.Fatal(err)
		}
		w, err := b.View(512, 512)
		if err != nil {
			t.Fatal(err)
		}
		closed := false
		for i, k := range order {
			if b.Valid() == closed {
				t.Errorf("order %v, after %d closes: valid is %v", order, i, b.Valid())
			}
			var s gpumem.Stats
			if d.ReadStats(&s); s.Allocation.All.Current != 1 {
				t.Errorf("order %v, after %d closes: %d buffers allocated", order, i, s.Allocation.All.Current)
			}
			switch k {
			case 0:
				err, closed = b.Close(), true
			case 1:
				err = v.Close()
			default:
				err = w.Close()
			}
			if err != nil {
				t.Errorf("order %v, close %d: %v", order, i, err)
			}
		}
		var s gpumem.Stats
		if d.ReadStats(&s); s.Allocation.All.Current != 0 {
			t.Errorf("order %v: %d buffers allocated at the end", order, s.Allocation.All.Current)
		}
		if err := b.Close(); !errors.Is(err, gpumem.ErrDoubleFree) {
			t.Errorf("order %v: closed again: %v", order, err)
		}
	}
}
