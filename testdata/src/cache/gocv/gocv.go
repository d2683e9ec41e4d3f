// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gocv is the leaking cache of docs/patterns.md over gocv: a model that
// keeps the output of every forward pass, in the shapes that it takes (Leaky), and
// four right ways to keep something.
package gocv

import (
	"sync"
	"weak"

	"gocv.io/x/gocv"
)

// LeakyModel keeps every output.
type LeakyModel struct {
	mu    sync.Mutex
	cache []gocv.Mat
}

// Forward leaves its output in the cache.
func (m *LeakyModel) Forward(n int) (gocv.Mat, error) {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache = append(m.cache, t)
	return t, nil
}

// LeakyByRequest keys by request.
type LeakyByRequest struct{ byID map[string]gocv.Mat }

func (m *LeakyByRequest) Infer(requestID string, n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	m.byID[requestID] = t
	return nil
}

// LeakyQueue fills a channel that nobody empties.
type LeakyQueue struct{ done chan gocv.Mat }

func (m *LeakyQueue) Predict(n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	m.done <- t
	return nil
}

type history struct{ past []gocv.Mat }

type state struct{ hist *history }

// LeakyNested hides the list in a field of a field.
type LeakyNested struct{ st state }

func (m *LeakyNested) Step(n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
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
type LeakyGeneric struct{ c cache[string, gocv.Mat] }

func (m *LeakyGeneric) Run(prompt string, n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	m.c.set(prompt, t)
	return nil
}

// LeakyClosure captures the list.
func LeakyClosure() func(n int) error {
	var kept []gocv.Mat
	return func(n int) error {
		t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
		kept = append(kept, t)
		return nil
	}
}

// Ring keeps the last eight.
type Ring struct{ cache []gocv.Mat }

func (m *Ring) Forward(n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	if len(m.cache) == 8 {
		oldest := m.cache[0]
		m.cache = m.cache[1:]
		oldest.Close()
	}
	m.cache = append(m.cache, t)
	return nil
}

func (m *Ring) Close() {
	for _, t := range m.cache {
		t.Close()
	}
	m.cache = nil
}

// Weak does not keep what it knows.
type Weak struct{ cache []weak.Pointer[gocv.Mat] }

func (m *Weak) Forward(n int) (*gocv.Mat, error) {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	m.cache = append(m.cache, weak.Make(&t))
	return &t, nil
}

// Evicting releases what has to go.
type Evicting struct {
	max int
	m   map[string]gocv.Mat
}

func (m *Evicting) Run(prompt string, n int) error {
	if _, ok := m.m[prompt]; ok {
		return nil
	}
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	for key, old := range m.m {
		if len(m.m) < m.max {
			break
		}
		old.Close()
		delete(m.m, key)
	}
	m.m[prompt] = t
	return nil
}

func (m *Evicting) Close() {
	for _, t := range m.m {
		t.Close()
	}
	clear(m.m)
}

// Host keeps a copy in host memory.
type Host struct{ cache []int }

func (m *Host) Forward(n int) error {
	t := gocv.NewMatWithSize(n, n, gocv.MatTypeCV8U)
	defer t.Close()
	m.cache = append(m.cache, t.Rows())
	return nil
}
