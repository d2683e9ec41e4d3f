// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestTableIsAMap drives tables and Go maps through the same random operations,
// copies among them, and compares after each.
func TestTableIsAMap(t *testing.T) {
	type pair struct {
		t table[int, int]
		m map[int]int
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	states := []*pair{{m: map[int]int{}}}
	for step := range 50_000 {
		p := states[rnd.IntN(len(states))]
		k, v := rnd.IntN(12), rnd.IntN(100)
		switch op := rnd.IntN(10); op {
		case 0, 1, 2:
			p.t.set(k, v)
			p.m[k] = v
		case 3, 4:
			p.t.del(k)
			delete(p.m, k)
		case 5:
			even := func(k, v int) bool { return (k+v)%2 == 0 }
			p.t.keep(even)
			maps.DeleteFunc(p.m, func(k, v int) bool { return !even(k, v) })
		case 6:
			for k, v := range p.t.each() {
				if k < 12 && v%3 == 0 {
					p.t.del(k)
					p.t.set(k+20, v)
				}
			}
			for k, v := range maps.Clone(p.m) {
				if k < 12 && v%3 == 0 {
					delete(p.m, k)
					p.m[k+20] = v
				}
			}
		case 7:
			for k, v := range p.t.all() {
				p.t.set(k, v+1)
				p.m[k] = v + 1
			}
		case 8:
			c := &pair{p.t.copied(), maps.Clone(p.m)}
			if len(states) < 20 {
				states = append(states, c)
			} else {
				states[rnd.IntN(len(states))] = c
			}
		case 9:
			if rnd.IntN(30) == 0 {
				p.t.clear()
				clear(p.m)
			}
		}
		for i, p := range states {
			got := map[int]int{}
			for k, v := range p.t.all() {
				if _, twice := got[k]; twice {
					t.Fatalf("step %d, table %d: key %d is there twice", step, i, k)
				}
				got[k] = v
			}
			if !maps.Equal(got, p.m) {
				t.Fatalf("step %d, table %d: %v, the map has %v", step, i, got, p.m)
			}
			if v, ok := p.t.get(k); ok != p.t.has(k) || v != p.m[k] || p.t.at(k) != v || p.t.len() != len(p.m) {
				t.Fatalf("step %d, table %d: get(%d) = %d, %t, the map has %d", step, i, k, v, ok, p.m[k])
			}
		}
	}
}
