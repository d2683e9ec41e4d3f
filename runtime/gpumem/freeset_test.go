// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"
)

func TestBinsDoNotFall(t *testing.T) {
	last := 0
	for size := minBlock; size < 1<<59; size += max(minBlock, size/97/512*512) {
		b := binOf(size)
		if b < last || b >= binCount {
			t.Fatalf("size %d is in bin %d after bin %d of %d", size, b, last, binCount)
		}
		last = b
	}
}

// TestFreeSetModel compares the set with a sorted slice.
func TestFreeSetModel(t *testing.T) {
	var f freeSet
	var model []*block
	order := func(a, b *block) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.addr, b.addr))
	}
	rnd := rand.New(rand.NewSource(1))
	bytes := int64(0)
	for step := range 20000 {
		if len(model) == 0 || rnd.Intn(100) < 55 {
			b := &block{addr: Ptr(step) << 20, size: minBlock << rnd.Intn(20)}
			b.size += minBlock * int64(rnd.Intn(4))
			i, _ := slices.BinarySearchFunc(model, b, order)
			model = slices.Insert(model, i, b)
			f.insert(b)
			bytes += b.size
		} else {
			i := rnd.Intn(len(model))
			f.remove(model[i])
			bytes -= model[i].size
			model = slices.Delete(model, i, i+1)
		}
		size := minBlock * int64(1+rnd.Intn(1<<rnd.Intn(18)))
		i, _ := slices.BinarySearchFunc(model, &block{size: size}, order)
		var want *block
		if i < len(model) {
			want = model[i]
		}
		if got := f.find(size); got != want {
			t.Fatalf("step %d: find(%d) is %v, want %v", step, size, got, want)
		}
		if step%500 == 0 {
			if err := f.check(int64(len(model)), bytes); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			if len(model) > 0 && f.last() != model[len(model)-1] {
				t.Fatalf("step %d: last is wrong", step)
			}
		}
	}
}
