// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import "iter"

// A table is a small map that keeps the order in which its keys came. States
// hold a handful of entries, rarely more than thirty, and are copied at each
// fork: a list that two states share until one of them writes costs a fraction
// of what Go's maps do, and is walked in the same order in every run.
//
// The zero table is empty. A copy is made with copied, never by assignment.
type table[K comparable, V any] struct {
	list   []entry[K, V]
	shared bool // the list is another table's too: copy before writing
}

type entry[K comparable, V any] struct {
	k K
	v V
}

func (t *table[K, V]) len() int { return len(t.list) }

func (t *table[K, V]) find(k K) int {
	for i := range t.list {
		if t.list[i].k == k {
			return i
		}
	}
	return -1
}

func (t *table[K, V]) get(k K) (v V, ok bool) {
	if i := t.find(k); i >= 0 {
		return t.list[i].v, true
	}
	return v, false
}

// at is the value of a key, or the zero value.
func (t *table[K, V]) at(k K) V {
	v, _ := t.get(k)
	return v
}

func (t *table[K, V]) has(k K) bool { return t.find(k) >= 0 }

// own makes the list this table's alone, with room for one more entry.
func (t *table[K, V]) own() {
	if !t.shared {
		return
	}
	list := make([]entry[K, V], len(t.list), len(t.list)+2)
	copy(list, t.list)
	t.list, t.shared = list, false
}

func (t *table[K, V]) set(k K, v V) {
	i := t.find(k)
	t.own()
	if i >= 0 {
		t.list[i].v = v
		return
	}
	t.list = append(t.list, entry[K, V]{k, v})
}

func (t *table[K, V]) del(k K) {
	i := t.find(k)
	if i < 0 {
		return
	}
	t.own()
	copy(t.list[i:], t.list[i+1:])
	last := len(t.list) - 1
	t.list[last] = entry[K, V]{}
	t.list = t.list[:last]
}

// keep drops the entries for which ok is false, which may look up what it was
// not asked for yet, but not what it has refused.
func (t *table[K, V]) keep(ok func(K, V) bool) {
	n := 0
	for n < len(t.list) && ok(t.list[n].k, t.list[n].v) {
		n++
	}
	if n == len(t.list) {
		return // as most often
	}
	left := t.list[:n]
	if t.shared {
		left = append(make([]entry[K, V], 0, len(t.list)), left...)
	}
	for _, e := range t.list[n+1:] {
		if ok(e.k, e.v) {
			left = append(left, e)
		}
	}
	if !t.shared {
		clear(t.list[len(left):])
	}
	t.list, t.shared = left, false
}

func (t *table[K, V]) clear() { *t = table[K, V]{} }

// all walks the entries. The loop may set the values of keys that are there
// and add keys, which it does not see; it may not delete: see each.
func (t *table[K, V]) all() iter.Seq2[K, V] {
	list := t.list
	return func(yield func(K, V) bool) {
		for i := range list {
			if !yield(list[i].k, list[i].v) {
				return
			}
		}
	}
}

// each walks the entries that are there when the loop begins, whatever it
// deletes or changes.
func (t *table[K, V]) each() iter.Seq2[K, V] {
	if len(t.list) > 0 {
		t.shared = true // so that a write copies
	}
	return t.all()
}

// copied returns a table with the same entries.
func (t *table[K, V]) copied() table[K, V] {
	if len(t.list) == 0 {
		return table[K, V]{} // not the room behind an empty list
	}
	t.shared = true
	return *t
}
