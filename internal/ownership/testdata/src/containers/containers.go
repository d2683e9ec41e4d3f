// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package containers holds anything.
package containers

import "sync"

type Map[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (c *Map[K, V]) Put(k K, v V) { // want Put:"^add:0 elem2$"
	c.m[k] = v
}

func (c *Map[K, V]) PutAll(ks []K, v V) { // want PutAll:"^add:0 elem2$"
	for _, k := range ks {
		c.Put(k, v)
	}
}

func (c *Map[K, V]) Get(k K) V { // want Get:"^give:0$"
	return c.m[k]
}

func (c *Map[K, V]) Delete(k K) { // want Delete:"^drop:0$"
	c.drop(k)
}

func (c *Map[K, V]) drop(k K) { delete(c.m, k) }

func (c *Map[K, V]) Len() int { return len(c.m) }

// A limit shows at the insertion, in a field, or because something is taken out
// there.
type Few[V any] struct{ all []V }

func (f *Few[V]) Add(v V) { // want Add:"^add:0 elem1 limited$"
	if len(f.all) < 8 {
		f.all = append(f.all, v)
	}
}

type Last[V any] struct{ all []V }

func (l *Last[V]) Add(v V) { // want Add:"^add:0 elem1 limited evicts, drop:0$"
	if len(l.all) > 8 {
		l.all = l.all[1:]
	}
	l.all = append(l.all, v)
}

type Called[V any] struct {
	all   []V
	after func(V)
}

func (c *Called[V]) Add(v V) { // want Add:"^add:0 elem1 limited evicts calls, drop:0 calls$"
	if len(c.all) > 8 {
		c.after(c.all[0])
		c.all = c.all[1:]
	}
	c.all = append(c.all, v)
}

// What is not exported can only be reached by what is.
type hidden[V any] struct{ all []V }

func (h *hidden[V]) Add(v V) { h.all = append(h.all, v) }

type Shown[V any] struct{ in hidden[V] }

func (s *Shown[V]) Add(v V) { // want Add:"^add:0 elem1$"
	s.in.Add(v)
}

// A janitor.
type Timed[V any] struct{ all []V }

func NewTimed[V any]() *Timed[V] {
	t := new(Timed[V])
	go t.sweep()
	return t
}

func (t *Timed[V]) Add(v V) { // want Add:"^add:0 elem1 limited evicts$"
	t.all = append(t.all, v)
}

func (t *Timed[V]) sweep() {
	for len(t.all) > 0 {
		t.all = t.all[1:]
	}
}

// A slot has room for one.
type Slot[V any] struct{ v V }

func (s *Slot[V]) Set(v V) { s.v = v }
