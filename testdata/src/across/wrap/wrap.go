// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package wrap gives the containers of bag other names.
package wrap

import "across/bag"

// Safe is a cache with a limit.
type Safe[K comparable, V any] struct{ lru *bag.LRU[K, V] }

func New[K comparable, V any](n int) *Safe[K, V] { return &Safe[K, V]{bag.NewLRU[K, V](n)} }

func NewWithEvict[K comparable, V any](n int, f func(K, V)) *Safe[K, V] {
	return &Safe[K, V]{bag.NewLRUWithEvict(n, f)}
}

func (s *Safe[K, V]) Store(k K, v V) { s.lru.Add(k, v) }

func (s *Safe[K, V]) Load(k K) (V, bool) { return s.lru.Get(k) }

// Sessions have users.
type Sessions[V any] struct{ byUser *bag.Map[string, V] }

func NewSessions[V any]() *Sessions[V] { return &Sessions[V]{bag.NewMap[string, V]()} }

func (s *Sessions[V]) Login(user string, v V) { s.byUser.Put(user, v) }

func (s *Sessions[V]) Of(user string) (V, bool) { return s.byUser.Get(user) }

func (s *Sessions[V]) Logout(user string) { s.byUser.Delete(user) }
