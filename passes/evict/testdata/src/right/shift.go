// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

type idle struct{ list []*dev.Buf }

// put takes a buffer over.
func (p *idle) put(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	p.list = append(p.list, b)
	return nil
}

// take hands out one from the middle; the cut only closes the gap.
func (p *idle) take(i int) *dev.Buf {
	b := p.list[i]
	n := len(p.list)
	copy(p.list[i:n-1], p.list[i+1:n])
	p.list[n-1] = nil
	p.list = p.list[:n-1]
	return b
}

func (p *idle) Close() {
	for _, b := range p.list {
		b.Free()
	}
	p.list = nil
}

type tracker struct {
	bufs []*dev.Buf
	n    int
}

// record fills the next free place.
func (t *tracker) record(size int) error {
	b, err := dev.New(size)
	if err != nil {
		return err
	}
	t.bufs[t.n] = b
	t.n++
	return nil
}

func (t *tracker) Close() {
	for _, b := range t.bufs[:t.n] {
		b.Free()
	}
}
