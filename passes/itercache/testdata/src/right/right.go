// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"fmt"
	"net/http"

	"example.com/dev"
)

// Bounded.
type model struct{ cache []*dev.Buf }

func (m *model) forward(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	m.cache = append(m.cache, b)
	for len(m.cache) > 4 {
		m.cache[0].Free()
		m.cache = m.cache[1:]
	}
	return b.Fill(1)
}

func (m *model) Close() {
	for _, b := range m.cache {
		b.Free()
	}
}

type programs struct{ m map[string]*dev.Buf }

var sizes = []int{1, 8, 32}

func bucket(n int) int {
	for _, size := range sizes {
		if n <= size {
			return size
		}
	}
	return sizes[len(sizes)-1]
}

// One of a few sizes.
func (p *programs) get(n int) (*dev.Buf, error) {
	key := fmt.Sprint(bucket(n))
	if b, ok := p.m[key]; ok {
		return b, nil
	}
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	p.m[key] = b
	return b, nil
}

func (p *programs) Close() {
	for _, b := range p.m {
		b.Free()
	}
}

type limited struct {
	max int
	m   map[string]*dev.Buf
}

// Full means an error.
func (l *limited) get(shape []int) (*dev.Buf, error) {
	key := fmt.Sprint(shape)
	if b, ok := l.m[key]; ok {
		return b, nil
	}
	if len(l.m) >= l.max {
		return nil, fmt.Errorf("more than %d shapes", l.max)
	}
	b, err := dev.New(len(shape))
	if err != nil {
		return nil, err
	}
	l.m[key] = b
	return b, nil
}

// Full means that one has to go.
type evicting struct {
	max int
	m   map[string]*dev.Buf
}

func (e *evicting) get(shape []int) (*dev.Buf, error) {
	key := fmt.Sprint(shape)
	if b, ok := e.m[key]; ok {
		return b, nil
	}
	b, err := dev.New(len(shape))
	if err != nil {
		return nil, err
	}
	if len(e.m) >= e.max {
		e.evict()
	}
	e.m[key] = b
	return b, nil
}

func (e *evicting) evict() {
	for key, b := range e.m {
		b.Free()
		delete(e.m, key)
		return
	}
}

type handler struct{ byID map[string]*dev.Buf }

// Taken out when the request ends.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("X-Request-Id")
	b, err := dev.New(1)
	if err != nil {
		return
	}
	h.byID[id] = b
	defer func() {
		delete(h.byID, id)
		b.Free()
	}()
	b.Fill(1)
}

// Scratch space for each batch size that comes up, until Close.
type scratch struct{ bySize map[int]*dev.Buf }

func (s *scratch) process(n int) error {
	b, ok := s.bySize[n]
	if !ok {
		var err error
		if b, err = dev.New(n); err != nil {
			return err
		}
		s.bySize[n] = b
	}
	return b.Fill(1)
}

func (s *scratch) Close() {
	for _, b := range s.bySize {
		b.Free()
	}
}

// A scope collects what is to be released together.
type scope struct{ bufs []*dev.Buf }

func (s *scope) keep(b *dev.Buf) *dev.Buf {
	s.bufs = append(s.bufs, b)
	return b
}

func (s *scope) Close() {
	for _, b := range s.bufs {
		b.Free()
	}
}

// Collected and returned.
func all(sizes <-chan int) (bufs []*dev.Buf, err error) {
	for n := range sizes {
		b, err := dev.New(n)
		if err != nil {
			for _, b := range bufs {
				b.Free()
			}
			return nil, err
		}
		bufs = append(bufs, b)
	}
	return bufs, nil
}
