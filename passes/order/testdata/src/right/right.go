// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"errors"

	"example.com/dev"
)

func plain(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := c.Alloc(n)
	if err != nil {
		c.Close()
		return err
	}
	b.Fill(0)
	b.Free()
	c.Close()
	return nil
}

func deferredBoth(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	defer c.Close()
	b, err := dev.Alloc(c, n)
	if err != nil {
		return err
	}
	defer b.Free()
	return b.Fill(0)
}

func inOneLiteral(n int) (err error) {
	var c *dev.Context
	var b *dev.Buf
	defer func() {
		if b != nil {
			b.Free()
		}
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c, err = dev.NewContext(); err != nil {
		return err
	}
	if b, err = c.Alloc(n); err != nil {
		return err
	}
	return b.Fill(0)
}

func releasedOnError(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err != nil {
		c.Close()
		return err
	}
	if err := b.Fill(0); err != nil {
		b.Free()
		c.Close()
		return err
	}
	b.Free()
	return c.Close()
}

// Lost, which is another rule's business.
func neverFreed(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err == nil {
		b.Fill(0)
	}
	return c.Close()
}

type model struct {
	ctx *dev.Context
	buf *dev.Buf
}

func (m *model) Close() error {
	m.buf.Free()
	return m.ctx.Close()
}

// Which of the two contexts the buffer is in cannot be told.
func two(a, b *dev.Context, x *dev.Buf) {
	a.Close()
	x.Free()
	b.Close()
}

func another(n int) error {
	a, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.NewContext()
	if err != nil {
		a.Close()
		return err
	}
	x, err := b.Alloc(n)
	a.Close()
	if err == nil {
		x.Free()
	}
	return b.Close()
}

func loop(n int) {
	for range n {
		c, err := dev.NewContext()
		if err != nil {
			continue
		}
		b, err := c.Alloc(n)
		if err != nil {
			c.Close()
			continue
		}
		b.Free()
		c.Close()
	}
}

// Closed before the next one is opened.
func reopen(n int) error {
	var c *dev.Context
	var b *dev.Buf
	for range n {
		if b != nil {
			b.Free()
			c.Close()
		}
		var err error
		if c, err = dev.NewContext(); err != nil {
			return err
		}
		if b, err = c.Alloc(n); err != nil {
			c.Close()
			return err
		}
	}
	if b != nil {
		b.Free()
		c.Close()
	}
	return nil
}

func environment() error {
	if err := dev.Open(); err != nil {
		return err
	}
	defer dev.Close()
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	defer c.Close()
	return nil
}

func twice() error {
	for range 2 {
		if err := dev.Open(); err != nil {
			return err
		}
		c, err := dev.NewContext()
		if err == nil {
			c.Close()
		}
		dev.Close()
	}
	return nil
}

func onFailure(c *dev.Context, ok func() error) error {
	if err := ok(); err != nil {
		dev.Close()
		return err
	}
	return c.Close()
}

func after() string {
	dev.Close()
	return dev.Name()
}

// Opens and closes the environment itself.
func session() error {
	if err := dev.Open(); err != nil {
		return err
	}
	defer dev.Close()
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	return c.Close()
}

func sessions() {
	session()
	session()
}

func release(c *dev.Context, b *dev.Buf) {
	b.Free()
	c.Close()
}

func throughHelper(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := c.Alloc(n)
	if err != nil {
		c.Close()
		return err
	}
	defer release(c, b)
	return b.Fill(1)
}

type pool struct {
	ctx  *dev.Context
	bufs []*dev.Buf
}

func (p *pool) Close() {
	for _, b := range p.bufs {
		b.Free()
	}
	p.ctx.Close()
}

// Emptied, and filled again in another context.
func (m *model) reload(n int) error {
	m.buf.Free()
	m.ctx.Close()
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	m.ctx = c
	if m.buf, err = c.Alloc(n); err != nil {
		return err
	}
	return m.buf.Fill(0)
}

// One context a worker.
type worker struct {
	ctx *dev.Context
	buf *dev.Buf
}

func closeAll(list []*worker) {
	for _, w := range list {
		w.buf.Free()
		w.ctx.Close()
	}
}
