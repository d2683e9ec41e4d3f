// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"sync"

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
	c.Close() // want `context is closed while the device buffer from Context.Alloc \(line 17\), which needs it, is still there: release that first \(GM505\)`
	b.Free()
	return nil
}

func deferredChild(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err != nil {
		c.Close()
		return err
	}
	defer b.Free()
	if err := b.Fill(0); err != nil {
		c.Close() // want `context is closed while the device buffer from dev.Alloc \(line 33\)`
		return err
	}
	return c.Close() // want `context is closed while the device buffer from dev.Alloc \(line 33\)`
}

func deferredBoth(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err != nil {
		c.Close()
		return err
	}
	defer b.Free()
	defer c.Close() // want `deferred calls run last to first: context is closed while the device buffer from dev.Alloc \(line 51\), which needs it, is still there: release that first \(GM505\)`
	return b.Fill(0)
}

func inOneLiteral(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err != nil {
		c.Close()
		return err
	}
	defer func() {
		c.Close() // want `context is closed while the device buffer from dev.Alloc \(line 66\)`
		b.Free()
	}()
	return b.Fill(0)
}

func usedAfter(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	b, err := dev.Alloc(c, n)
	if err != nil {
		c.Close()
		return err
	}
	c.Close() // want `context is closed before Buf.Fill \(line 89\), which needs it: release it last`
	err = b.Fill(0)
	b.Free()
	return err
}

type model struct {
	ctx *dev.Context
	buf *dev.Buf
}

func newModel(n int) (*model, error) {
	c, err := dev.NewContext()
	if err != nil {
		return nil, err
	}
	b, err := c.Alloc(n)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &model{c, b}, nil
}

func (m *model) Close() {
	m.ctx.Close() // want `context is closed before the device buffer \(line 114\), which needs it: release that first`
	m.buf.Free()
}

func inFields(n int) error {
	m := &model{}
	var err error
	if m.ctx, err = dev.NewContext(); err != nil {
		return err
	}
	if m.buf, err = m.ctx.Alloc(n); err != nil {
		m.ctx.Close()
		return err
	}
	m.ctx.Close() // want `context is closed while the device buffer from Context.Alloc \(line 123\)`
	m.buf.Free()
	return nil
}

func release(c *dev.Context, b *dev.Buf) {
	c.Close() // want `context is closed before the device buffer \(line 134\), which needs it`
	b.Free()
}

func closeContext(c *dev.Context) { c.Close() }

func throughHelper(c *dev.Context, n int) error {
	b, err := c.Alloc(n)
	if err != nil {
		return err
	}
	closeContext(c) // want `is still there`
	b.Free()
	return nil
}

// The environment stands behind everything.
func environment(n int) error {
	if err := dev.Open(); err != nil {
		return err
	}
	c, err := dev.NewContext()
	if err != nil {
		dev.Close()
		return err
	}
	defer c.Close()
	dev.Close() // want `environment is closed before the context \(line 159\), which needs it: release that first`
	return nil
}

func environmentDeferred() error {
	if err := dev.Open(); err != nil {
		return err
	}
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	defer c.Close()
	defer dev.Close() // want `deferred calls run last to first: environment is closed before the context`
	return nil
}

type server struct {
	c *dev.Context
	b *dev.Buf
}

func (s *server) Shutdown() {
	dev.Close() // want `environment is closed before the device buffer \(line 184\)`
	s.b.Free()
	s.c.Close()
}

func closeAll() { dev.Close() }

func (s *server) stop() { s.b.Free() }

func (s *server) Stop() {
	closeAll() // want `environment is closed before the device buffer \(line 194\)`
	s.stop()
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
		c.Close() // want `context is closed while`
		b.Free()
	}
}

type pool struct {
	ctx  *dev.Context
	bufs []*dev.Buf
}

func (p *pool) Close() {
	p.ctx.Close() // want `context is closed before the device buffer \(line 221\), which needs it: release that first`
	for _, b := range p.bufs {
		b.Free()
	}
}

type once struct {
	sync.Once
	ctx *dev.Context
	buf *dev.Buf
}

func (o *once) Close() {
	o.Do(func() {
		o.ctx.Close() // want `context is closed before the device buffer`
		o.buf.Free()
	})
}

// The old buffer outlives its context, the new one does not.
func (s *server) reload(n int) error {
	c, err := dev.NewContext()
	if err != nil {
		return err
	}
	s.c.Close() // want `context is closed before the device buffer`
	s.b.Free()
	s.c = c
	s.b, err = c.Alloc(n)
	return err
}
