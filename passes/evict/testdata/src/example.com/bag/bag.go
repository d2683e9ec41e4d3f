// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package bag has containers of anything, and knows nothing of devices.
package bag

// Map keeps until it is told to delete.
type Map[K comparable, V any] struct{ m map[K]V }

func NewMap[K comparable, V any]() *Map[K, V] { return &Map[K, V]{m: map[K]V{}} }

func (c *Map[K, V]) Put(k K, v V) { c.m[k] = v }

func (c *Map[K, V]) Get(k K) (V, bool) {
	v, ok := c.m[k]
	return v, ok
}

func (c *Map[K, V]) Delete(k K) { delete(c.m, k) }

func (c *Map[K, V]) Each(f func(K, V)) {
	for k, v := range c.m {
		f(k, v)
	}
}

// Bounded drops the oldest.
type Bounded[V any] struct {
	size    int
	keys    []string
	m       map[string]V
	onEvict func(string, V)
}

func NewBounded[V any](size int, onEvict func(string, V)) *Bounded[V] {
	return &Bounded[V]{size: size, m: map[string]V{}, onEvict: onEvict}
}

func (b *Bounded[V]) Add(k string, v V) {
	if len(b.keys) >= b.size {
		b.evict()
	}
	b.keys = append(b.keys, k)
	b.m[k] = v
}

func (b *Bounded[V]) Get(k string) (V, bool) {
	v, ok := b.m[k]
	return v, ok
}

func (b *Bounded[V]) evict() {
	oldest := b.keys[0]
	b.keys = b.keys[1:]
	if b.onEvict != nil {
		b.onEvict(oldest, b.m[oldest])
	}
	delete(b.m, oldest)
}
