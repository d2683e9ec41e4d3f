// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package twice

import (
	"sync"
	"sync/atomic"

	"example.com/dev"
)

// One field is cleared, the other is not.
type pair struct{ a, b *dev.Buf }

func (p *pair) Close() {
	if p.a != nil {
		p.a.Free()
		p.a = nil
	}
	if p.b != nil {
		p.b.Free() // want `a second Close releases p.b again: clear the field or keep a flag \(GM401\)`
	}
}

type pairRight struct{ a, b *dev.Buf }

func (p *pairRight) Close() {
	if p.a != nil {
		p.a.Free()
		p.a = nil
	}
	if p.b != nil {
		p.b.Free()
		p.b = nil
	}
}

// Tested since it may be half-built: no sign.
type tested struct{ a *dev.Buf }

func (t *tested) Close() {
	if t.a != nil {
		t.a.Free()
	}
}

// Two functions close what lies in one field.
type server struct{ a *dev.Buf }

func (s *server) Close() {
	if s.a != nil {
		s.a.Free() // want `a second Close releases s.a again`
	}
}

type runner struct{ srv *server }

func (r *runner) unload() { r.srv.Close() }

func (r *runner) exit() {
	if r.srv != nil {
		r.srv.Close()
	}
}

// Whoever closes it forgets it.
type serverRight struct{ a *dev.Buf }

func (s *serverRight) Close() { s.a.Free() }

type runnerRight struct{ srv *serverRight }

func (r *runnerRight) unload() {
	r.srv.Close()
	r.srv = nil
}

func (r *runnerRight) exit() {
	if r.srv != nil {
		r.srv.Close()
	}
}

// A wrapper without any protection: its callers know.
type plain struct{ a *dev.Buf }

func (t *plain) Close() { t.a.Free() }

// A flag that nobody looks at.
type flag struct {
	closed bool
	a      *dev.Buf
}

func (f *flag) Use() error {
	if f.closed {
		return nil
	}
	return f.a.Fill(0)
}

func (f *flag) Close() {
	f.closed = true
	f.a.Free() // want `a second Close releases f.a again`
}

type flagRight struct {
	closed bool
	a      *dev.Buf
}

func (f *flagRight) Close() {
	if f.closed {
		return
	}
	f.closed = true
	f.a.Free()
}

// A flag that nobody sets.
type unset struct {
	closed bool
	a      *dev.Buf
}

func (f *unset) Close() {
	if f.closed {
		return
	}
	f.a.Free() // want `a second Close releases f.a again`
}

// Promised is a promise.
type promised struct{ a *dev.Buf }

// Close is safe to call multiple times.
func (p *promised) Close() error { return p.a.Free() } // want `a second Close releases p.a again`

type denied struct{ a *dev.Buf }

// Close must not be called more than once.
func (p *denied) Close() error { return p.a.Free() }

type once struct {
	once sync.Once
	n    int
	a    *dev.Buf
}

// Close may be called multiple times.
func (o *once) Close() { o.once.Do(func() { o.a.Free() }) }

type swapped struct {
	closed atomic.Bool
	a      *dev.Buf
}

// Close may be called multiple times.
func (o *swapped) Close() {
	if o.closed.Swap(true) {
		return
	}
	o.a.Free()
}

type counted struct {
	refs int
	a    *dev.Buf
}

func (c *counted) Release() {
	c.refs--
	if c.refs > 0 {
		return
	}
	if c.a != nil {
		c.a.Free()
	}
}

// A helper clears the field.
type helped struct{ a *dev.Buf }

func (h *helped) drop() {
	if h.a != nil {
		h.a.Free()
		h.a = nil
	}
}

// Close may be called multiple times.
func (h *helped) Close() { h.drop() }

// Harmless by the library.
type mats struct{ m dev.Mat }

// Close may be called more than once.
func (m *mats) Close() { m.m.Close() }

// An owner of an owner.
type outer struct{ in *pair }

func (o *outer) Close() { o.in.Close() }

// The caller's variable is not the copy's.
type byValue struct{ a *dev.Buf }

func (b byValue) Close() {
	if b.a == nil {
		return
	}
	b.a.Free()
	b.a = nil // want `Close clears only its own copy of b.a: with a value receiver a second call releases it again \(GM401\)`
}

// The second call meets the nil that the first one left.
type panics struct{ a *dev.Buf }

func (p *panics) Close() {
	p.a.Free() // want `a second Close panics: p.a is nil after the first and is used without a test \(GM401\)`
	p.a = nil
}

type closer interface{ Close() error }

type inner struct{ buf *dev.Buf }

func (i *inner) Close() error {
	if i == nil || i.buf == nil {
		return nil
	}
	err := i.buf.Free()
	i.buf = nil
	return err
}

// inner can be nil.
type safe struct{ in *inner }

func (s *safe) Close() {
	s.in.Close()
	s.in = nil
}

// Another one takes its place.
type pool struct{ a *dev.Buf }

func (p *pool) Drop() error {
	if p.a != nil {
		p.a.Free()
	}
	a, err := dev.New(1)
	if err != nil {
		p.a = nil
		return err
	}
	p.a = a
	return nil
}

type mipmap struct{ levels []*dev.Buf }

func (m *mipmap) Destroy() {
	for _, l := range m.levels {
		l.Free()
	}
	m.levels = nil
}

type image struct{ mipmap *mipmap }

func (i *image) MarkDisposed() {
	i.mipmap.Destroy() // want `a second MarkDisposed panics: i.mipmap is nil after the first and is used without a test`
	i.mipmap = nil
}

type imageRight struct{ mipmap *mipmap }

func (i *imageRight) MarkDisposed() {
	if i.mipmap == nil {
		return
	}
	i.mipmap.Destroy()
	i.mipmap = nil
}

// A failed Close may be tried again.
type retried struct{ a, b *dev.Buf }

// Close may be called again if it fails, and multiple times.
func (r *retried) Close() error {
	if r.a == nil {
		return nil
	}
	err := r.a.Free()
	if err != nil {
		return err
	}
	r.a = nil
	return nil
}
