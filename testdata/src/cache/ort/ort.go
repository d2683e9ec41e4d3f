// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package ort is the leaking cache of docs/patterns.md over onnxruntime_go: a model that
// keeps the output of every forward pass, in the shapes that it takes (Leaky), and
// four right ways to keep something.
package ort

import (
	"sync"
	"weak"

	ort "github.com/yalue/onnxruntime_go"
)

// LeakyModel keeps every output.
type LeakyModel struct {
	mu    sync.Mutex
	cache []*ort.Tensor[float32]
}

// Forward leaves its output in the cache.
func (m *LeakyModel) Forward(n int) (*ort.Tensor[float32], error) {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache = append(m.cache, t)
	return t, nil
}

// LeakyByRequest keys by request.
type LeakyByRequest struct {
	byID map[string]*ort.Tensor[float32]
}

func (m *LeakyByRequest) Infer(requestID string, n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	m.byID[requestID] = t
	return nil
}

// LeakyQueue fills a channel that nobody empties.
type LeakyQueue struct{ done chan *ort.Tensor[float32] }

func (m *LeakyQueue) Predict(n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	m.done <- t
	return nil
}

type history struct{ past []*ort.Tensor[float32] }

type state struct{ hist *history }

// LeakyNested hides the list in a field of a field.
type LeakyNested struct{ st state }

func (m *LeakyNested) Step(n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
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
type LeakyGeneric struct {
	c cache[string, *ort.Tensor[float32]]
}

func (m *LeakyGeneric) Run(prompt string, n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	m.c.set(prompt, t)
	return nil
}

// LeakyClosure captures the list.
func LeakyClosure() func(n int) error {
	var kept []*ort.Tensor[float32]
	return func(n int) error {
		t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
		if err != nil {
			return err
		}
		kept = append(kept, t)
		return nil
	}
}

// Ring keeps the last eight.
type Ring struct{ cache []*ort.Tensor[float32] }

func (m *Ring) Forward(n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	if len(m.cache) == 8 {
		oldest := m.cache[0]
		m.cache = m.cache[1:]
		oldest.Destroy()
	}
	m.cache = append(m.cache, t)
	return nil
}

func (m *Ring) Close() {
	for _, t := range m.cache {
		t.Destroy()
	}
	m.cache = nil
}

// Weak does not keep what it knows.
type Weak struct {
	cache []weak.Pointer[ort.Tensor[float32]]
}

func (m *Weak) Forward(n int) (*ort.Tensor[float32], error) {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return nil, err
	}
	m.cache = append(m.cache, weak.Make(t))
	return t, nil
}

// Evicting releases what has to go.
type Evicting struct {
	max int
	m   map[string]*ort.Tensor[float32]
}

func (m *Evicting) Run(prompt string, n int) error {
	if _, ok := m.m[prompt]; ok {
		return nil
	}
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	for key, old := range m.m {
		if len(m.m) < m.max {
			break
		}
		old.Destroy()
		delete(m.m, key)
	}
	m.m[prompt] = t
	return nil
}

func (m *Evicting) Close() {
	for _, t := range m.m {
		t.Destroy()
	}
	clear(m.m)
}

// Host keeps a copy in host memory.
type Host struct{ cache [][]float32 }

func (m *Host) Forward(n int) error {
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(n)))
	if err != nil {
		return err
	}
	defer t.Destroy()
	m.cache = append(m.cache, append([]float32(nil), t.GetData()...))
	return nil
}
