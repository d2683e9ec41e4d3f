// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"fmt"
	"sync"

	"example.com/dev"
)

func straight(n int) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	k := buf.Len()
	buf.Free()
	return k, nil
}

func argument(buf *dev.Buf) bool {
	buf.Free()
	return buf.Freed() // asks about the handle
}

type holder struct {
	buf *dev.Buf
	mu  sync.Mutex
}

func (h *holder) renew(n int) (int, error) {
	h.buf.Free()
	b, err := dev.New(n)
	if err != nil {
		h.buf = nil
		return 0, err
	}
	h.buf = b
	return h.buf.Len(), nil
}

func (h *holder) reload(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	h.buf = b
	return nil
}

func (h *holder) renewByHelper(n int) (int, error) {
	h.buf.Free()
	if err := h.reload(n); err != nil {
		return 0, err
	}
	return h.buf.Len(), nil
}

func branch(n int, early bool) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	if early {
		buf.Free()
		return 0, nil
	}
	defer buf.Free()
	return buf.Len(), nil
}

func flag(n int, early bool) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	if early {
		buf.Free()
	}
	if !early {
		buf.Fill(1)
		buf.Free()
	}
	return 0, nil
}

func niled(n int, early bool) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	if early {
		buf.Free()
		buf = nil
	}
	if buf != nil {
		k := buf.Len()
		buf.Free()
		return k, nil
	}
	return 0, nil
}

func last(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		buf.Fill(byte(i))
		if i == n-1 {
			buf.Free()
		}
	}
	return nil
}

func failed(n int) (*dev.Buf, error) {
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	if buf.Len() == 0 {
		buf.Free()
		return buf, fmt.Errorf("empty buffer") // nobody looks at it
	}
	return buf, nil
}

func pooled(p *dev.Pool, n int) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	p.Put(buf)
	return buf.Len(), nil // the pool keeps it alive
}

func others(list []*dev.Buf) int {
	list[0].Free()
	return list[1].Len()
}

func two(a, b *dev.Buf) int {
	a.Free()
	return b.Len()
}

func ranged(list []*dev.Buf) int {
	n := 0
	for _, b := range list {
		n += b.Len()
		b.Free()
	}
	return n
}

func swap(n int) error {
	cur, err := dev.New(n)
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		next, err := dev.New(n)
		if err != nil {
			cur.Free()
			return err
		}
		next.Fill(byte(cur.Len()))
		cur.Free()
		cur = next
	}
	return cur.Free()
}

func printed(buf *dev.Buf) {
	buf.Free()
	fmt.Printf("freed %p\n", buf)
}

func once(buf *dev.Buf) func() {
	var o sync.Once
	return func() { o.Do(func() { buf.Free() }) }
}

func retained(s *dev.Stream, buf *dev.Buf) int {
	s.Retain(buf)
	buf.Free()
	return buf.Len() // the stream's reference holds it
}

func (h *holder) during(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	h.buf = buf
	defer func() {
		h.buf = nil
		buf.Free()
	}()
	return nil
}

func first(list []*dev.Buf) int {
	list[0].Free()
	n := 0
	for _, b := range list[1:] {
		n += b.Len()
	}
	return n
}
