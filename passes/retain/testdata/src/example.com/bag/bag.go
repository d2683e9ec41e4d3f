// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package bag has containers of anything, and knows nothing of devices.
package bag

// List only grows.
type List[V any] struct{ in struct{ all []V } }

func (l *List[V]) Add(v V) { l.in.all = append(l.in.all, v) }

// Stack does not.
type Stack[V any] struct{ all []V }

func (s *Stack[V]) Push(v V) { s.all = append(s.all, v) }

func (s *Stack[V]) Pop() (v V, ok bool) {
	if len(s.all) == 0 {
		return v, false
	}
	v = s.all[len(s.all)-1]
	s.all = s.all[:len(s.all)-1]
	return v, true
}

// Owned is a list in a list of its own.
type Owned[V any] struct{ list *List[V] }

func NewOwned[V any]() *Owned[V] { return &Owned[V]{new(List[V])} }

func (o *Owned[V]) Keep(v V) { o.list.Add(v) }
