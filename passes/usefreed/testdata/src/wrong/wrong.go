// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func straight(n int) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	buf.Free()
	return buf.Len(), nil // want `device buffer from dev.New`
}

func argument(buf *dev.Buf) int {
	buf.Free()
	return buf.Len() // want `device buffer in buf is used by Buf.Len after it was freed`
}

type holder struct{ buf *dev.Buf }

func (h *holder) field() int {
	h.buf.Free()
	return h.buf.Len() // want `device buffer in h.buf is used by Buf.Len after it was freed`
}

func branch(n int, early bool) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	if early {
		buf.Free()
	}
	k := buf.Len() // want `used by Buf.Len after it was freed`
	if !early {
		buf.Free()
	}
	return k, nil
}

func loopUse(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		buf.Fill(byte(i)) // want `used by Buf.Fill after it was freed`
		buf.Free()
	}
	return nil
}

func closedReturn(n int) *dev.Buf {
	buf, err := dev.New(n)
	if err != nil {
		return nil
	}
	defer buf.Free()
	buf.Fill(1)
	return buf // want `is returned, but the deferred Buf.Free has freed it by then`
}

func consumed(a, b *dev.Buf) (int, error) {
	c, err := dev.Join(a, b)
	if err != nil {
		return 0, err
	}
	defer c.Free()
	return a.Len(), nil // want `but dev.Join \(line \d+\) has taken it over`
}

func release(b *dev.Buf) { b.Free() }

func size(b *dev.Buf) int { return b.Len() }

func helpers(n int) (int, error) {
	buf, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	release(buf)
	return size(buf), nil // want `used by size after it was freed`
}

func ranged(list []*dev.Buf) int {
	n := 0
	for _, b := range list {
		b.Free()
		n += b.Len() // want `used by Buf.Len after it was freed`
	}
	return n
}

func closure(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	fill := func() { buf.Fill(1) } // want `used by Buf.Fill after it was freed`
	buf.Free()
	fill()
	return nil
}

func inside(n int) (*holder, error) {
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	defer buf.Free()
	return &holder{buf}, nil // want `is returned, but the deferred Buf.Free has freed it by then`
}

func (h *holder) set(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer buf.Free() // want `is kept beyond this function, but the deferred Buf.Free has freed it by then`
	h.buf = buf
	return nil
}

func either(a, b *dev.Buf, both bool) {
	c := a
	if both {
		c = b
	}
	c.Free()
	a.Fill(1) // want `device buffer in c is used by Buf.Fill after it was freed`
}
