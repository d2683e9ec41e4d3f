// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gotch is the leaking cache of docs/patterns.md over gotch: a model that
// keeps the output of every forward pass, in the shapes that it takes (Leaky), and
// four right ways to keep something.
package gotch

import (
	"sync"
	"weak"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// LeakyModel keeps every output.
type LeakyModel struct {
	mu    sync.Mutex
	cache []*ts.Tensor
}

// Forward leaves its output in the cache.
func (m *LeakyModel) Forward(n int) (*ts.Tensor, error) {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache = append(m.cache, t)
	return t, nil
}

// LeakyByRequest keys by request.
type LeakyByRequest struct{ byID map[string]*ts.Tensor }

func (m *LeakyByRequest) Infer(requestID string, n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.byID[requestID] = t
	return nil
}

// LeakyQueue fills a channel that nobody empties.
type LeakyQueue struct{ done chan *ts.Tensor }

func (m *LeakyQueue) Predict(n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.done <- t
	return nil
}

type history struct{ past []*ts.Tensor }

type state struct{ hist *history }

// LeakyNested hides the list in a field of a field.
type LeakyNested struct{ st state }

func (m *LeakyNested) Step(n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.st.hist.past = append(m.st.hist.past, t)
	return nil
}

type cache[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (c *cache[K, V]) set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

// LeakyGeneric uses a cache that does not know what it holds.
type LeakyGeneric struct{ c cache[string, *ts.Tensor] }

func (m *LeakyGeneric) Run(prompt string, n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.c.set(prompt, t)
	return nil
}

// LeakyClosure captures the list.
func LeakyClosure() func(n int) error {
	var kept []*ts.Tensor
	return func(n int) error {
		t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
		kept = append(kept, t)
		return nil
	}
}

// Ring keeps the last eight.
type Ring struct{ cache []*ts.Tensor }

func (m *Ring) Forward(n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	if len(m.cache) == 8 {
		oldest := m.cache[0]
		m.cache = m.cache[1:]
		oldest.MustDrop()
	}
	m.cache = append(m.cache, t)
	return nil
}

func (m *Ring) Close() {
	for _, t := range m.cache {
		t.MustDrop()
	}
	m.cache = nil
}

// Weak does not keep what it knows.
type Weak struct{ cache []weak.Pointer[ts.Tensor] }

func (m *Weak) Forward(n int) (*ts.Tensor, error) {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	m.cache = append(m.cache, weak.Make(t))
	return t, nil
}

// Evicting releases what has to go.
type Evicting struct {
	max int
	m   map[string]*ts.Tensor
}

func (m *Evicting) Run(prompt string, n int) error {
	if _, ok := m.m[prompt]; ok {
		return nil
	}
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	for key, old := range m.m {
		if len(m.m) < m.max {
			break
		}
		old.MustDrop()
		delete(m.m, key)
	}
	m.m[prompt] = t
	return nil
}

func (m *Evicting) Close() {
	for _, t := range m.m {
		t.MustDrop()
	}
	clear(m.m)
}

// Host keeps a copy in host memory.
type Host struct{ cache [][]float64 }

func (m *Host) Forward(n int) error {
	t := ts.MustZeros([]int64{int64(n)}, gotch.Float, gotch.CPU)
	defer t.MustDrop()
	m.cache = append(m.cache, t.Float64Values())
	return nil
}
