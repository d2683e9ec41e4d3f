// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"fmt"
	"net/http"

	"example.com/dev"
)

// The leaking cache: every forward pass leaves its output.
type model struct{ cache []*dev.Buf }

func (m *model) forward(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	m.cache = append(m.cache, b) // want `^device buffer from dev.New \(line 17\) is added to m.cache with every call of forward and stays there: keep a bounded number, and have the oldest freed \(GM203\)$`
	return b.Fill(1)
}

// A Close comes too late.
func (m *model) Close() {
	for _, b := range m.cache {
		b.Free()
	}
}

type programs struct{ m map[string]*dev.Buf }

// Each shape has its own.
func (p *programs) get(shape []int) (*dev.Buf, error) {
	key := fmt.Sprint(shape)
	if b, ok := p.m[key]; ok {
		return b, nil
	}
	b, err := dev.New(len(shape))
	if err != nil {
		return nil, err
	}
	p.m[key] = b // want `device buffer from dev.New \(line 40\) is cached in p.m under a key that changes from call to call: bound the cache, or round the key \(GM203\)`
	return b, nil
}

func (p *programs) Close() {
	for _, b := range p.m {
		b.Free()
	}
}

type handler struct{ byID map[string]*dev.Buf }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := dev.New(1)
	if err != nil {
		return
	}
	h.byID[r.Header.Get("X-Request-Id")] = b // want `is added to h.byID with every request and stays there`
}

var kept []*dev.Buf

// Never ends.
func serve(sizes <-chan int) error {
	for {
		b, err := dev.New(<-sizes)
		if err != nil {
			return err
		}
		kept = append(kept, b) // want `with every iteration`
	}
}

// The helper is called in the loop.
func pump(sizes <-chan int) {
	for n := range sizes {
		if err := keep(n); err != nil {
			return
		}
	}
}

var pumped []*dev.Buf

func keep(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	pumped = append(pumped, b) // want `with every iteration`
	return nil
}

func shutdown() {
	for _, b := range pumped {
		b.Free()
	}
}
