// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"errors"
	"sync"

	"example.com/dev"
)

func either(n int, fast bool) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	if fast {
		return buf.Free()
	}
	buf.Fill(1)
	return buf.Free()
}

func deferred(n int, bad bool) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			buf.Free()
		}
	}()
	if bad {
		buf.Free()
		done = true
	}
	return nil
}

func onError(n int) (err error) {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			buf.Free()
		}
	}()
	if err = step(); err != nil {
		return err
	}
	buf.Free()
	return nil
}

func step() error { return nil }

func retry(buf *dev.Buf) error {
	if err := buf.Free(); err != nil {
		return buf.Free() // the first one failed
	}
	return nil
}

func harmless() error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Close() // documented as harmless
}

type holder struct {
	a, b   *dev.Buf
	once   sync.Once
	closed bool
}

func (h *holder) Close() error {
	return errors.Join(h.a.Free(), h.b.Free())
}

func (h *holder) CloseOnce() {
	h.once.Do(func() { h.a.Free() })
	h.once.Do(func() { h.a.Free() })
}

func (h *holder) Reset() {
	if h.a != nil {
		h.a.Free()
		h.a = nil
	}
	if h.a != nil {
		h.a.Free()
	}
}

func (h *holder) guarded() {
	if h.closed {
		return
	}
	h.closed = true
	h.a.Free()
}

func (h *holder) callsGuarded() {
	h.guarded()
	h.guarded()
}

func borrowed(buf *dev.Buf) int {
	return buf.Part(0).Len()
}

func pooled(p *dev.Pool, n int, keep bool) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	if keep {
		p.Put(buf)
		return nil
	}
	return buf.Free()
}

func loop(n int) {
	for i := 0; i < n; i++ {
		buf, err := dev.New(i)
		if err != nil {
			return
		}
		buf.Free()
	}
}

func lists(list []*dev.Buf) {
	for _, b := range list {
		b.Free()
	}
}

func clearIfFree(b *dev.Buf) {
	if !b.Freed() {
		b.Free()
	}
}

// Two sessions share a stream, which may be closed twice.
func twoSessions(a, b *dev.Session) error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	a.UseStream(s)
	b.UseStream(s)
	return nil
}
