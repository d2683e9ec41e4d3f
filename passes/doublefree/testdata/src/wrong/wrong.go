// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func twice(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	buf.Free()
	buf.Free() // want `device buffer from dev.New \(line \d+\) is freed twice, the first time by Buf.Free \(line \d+\): keep one of the two \(GM302\)`
	return nil
}

func deferred(n int, bad bool) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer buf.Free() // want `is freed again by this deferred call, after Buf.Free`
	if bad {
		buf.Free()
		return nil
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
			buf.Free() // want `is freed twice`
		}
	}()
	if err = step(); err != nil {
		buf.Free()
		return err
	}
	return buf.Free()
}

func step() error { return nil }

func argument(buf *dev.Buf) {
	buf.Free()
	buf.Free() // want `device buffer in buf is freed twice`
}

type holder struct{ a, b *dev.Buf }

func (h *holder) Close() {
	h.a.Free()
	h.a.Free() // want `device buffer in h.a is freed twice`
}

func pooled(p *dev.Pool, n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	p.Put(buf)
	buf.Free() // want `is freed by Buf.Free, but Pool.Put \(line \d+\) has taken it over`
	return nil
}

func joined(a, b *dev.Buf) error {
	defer a.Free() // want `has taken it over`
	c, err := dev.Join(a, b)
	if err != nil {
		return err
	}
	return c.Free()
}

func borrowed(buf *dev.Buf) int {
	p := buf.Part(0)
	defer p.Free() // want `device buffer from Buf.Part \(line \d+\) is only borrowed, and Buf.Free releases it`
	return p.Len()
}

func shared() int {
	b := dev.Shared()
	n := b.Len()
	b.Free() // want `is only borrowed`
	return n
}

func release(b *dev.Buf) { b.Free() }

func helper(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer buf.Free() // want `is freed again by this deferred call`
	release(buf)
	return nil
}

func loop(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		buf.Free() // want `is freed again in the next iteration`
	}
	return nil
}

func lists(n int) error {
	var list []*dev.Buf
	for i := 0; i < n; i++ {
		b, err := dev.New(i)
		if err != nil {
			break
		}
		list = append(list, b)
	}
	for _, b := range list {
		b.Free()
	}
	for _, b := range list {
		b.Free() // want `is freed twice`
	}
	return nil
}

// Two sessions free the same buffer.
func twoSessions(a, b *dev.Session, n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	a.UseBuf(buf)
	b.UseBuf(buf) // want `GM302`
	return nil
}
