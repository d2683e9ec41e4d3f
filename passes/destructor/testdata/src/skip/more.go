// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package skip

import (
	"errors"
	"os"

	"example.com/dev"
)

// The file is none of ours, but its failure leaves the buffer behind.
type logFile struct {
	f *os.File
	b *dev.Buf
}

func (l *logFile) Close() error {
	if err := l.f.Close(); err != nil {
		return err // want `Close does not release l.b when l.f.Close fails: go on and join the errors`
	}
	return l.b.Free()
}

type logFileRight struct {
	f *os.File
	b *dev.Buf
}

func (l *logFileRight) Close() error { return errors.Join(l.f.Close(), l.b.Free()) }

// Out of the loop at the first failure.
type breaks struct{ bufs []*dev.Buf }

func (l *breaks) Close() (err error) {
	for _, b := range l.bufs {
		if err = b.Free(); err != nil {
			break
		}
	}
	return err // want `Close leaves the rest of l.bufs behind`
}

type byKey struct{ bufs map[string]*dev.Buf }

func (l *byKey) Close() error {
	for k, b := range l.bufs {
		if err := b.Free(); err != nil {
			return err // want `Close leaves the rest of l.bufs behind`
		}
		delete(l.bufs, k)
	}
	return nil
}

type byKeyRight struct{ bufs map[string]*dev.Buf }

func (l *byKeyRight) Close() (err error) {
	for k, b := range l.bufs {
		if ferr := b.Free(); ferr != nil && err == nil {
			err = ferr
		}
		delete(l.bufs, k)
	}
	return err
}

// The wrong field is tested.
type guards struct{ a, b *dev.Buf }

func (g *guards) Close() {
	if g.a != nil {
		g.a.Free()
	}
	if g.a != nil {
		g.b.Free() // want `Close releases g.b under a test of g.a: test the field itself \(GM401\)`
	}
}

type swapped struct{ a, b *dev.Buf }

func (g *swapped) Close() {
	if g.b != nil {
		g.a.Free() // want `Close releases g.a under a test of g.b`
	}
	if g.a != nil {
		g.b.Free()
	}
}

type guardsRight struct{ a, b *dev.Buf }

func (g *guardsRight) Close() {
	if g.a != nil {
		g.a.Free()
	}
	if g.b != nil {
		g.b.Free()
	}
}

// One field stands for the object.
type whole struct{ ctx, buf *dev.Buf }

func (g *whole) Close() {
	if g.ctx != nil {
		g.buf.Free()
		g.ctx.Free()
	}
}

type asks struct{ ctx, buf *dev.Buf }

func (g *asks) Close() {
	if g.ctx != nil {
		g.buf.Free()
	}
	g.ctx.Free()
}

// The context cannot be had, and nothing can be released without it.
type bound struct {
	s *session
	b *dev.Buf
}

type session struct{ s *dev.Session }

func (s *session) MakeCurrent() error { return s.s.Wait() }
func (s *session) Close() error       { return s.s.Close() }

func (b *bound) Close() error {
	if err := b.s.MakeCurrent(); err != nil {
		return err
	}
	return errors.Join(b.b.Free(), b.s.Close())
}

// A list made in place.
type inPlace struct{ a, b *dev.Buf }

func (p *inPlace) Close() error {
	for _, b := range []*dev.Buf{p.a, p.b} {
		if err := b.Free(); err != nil {
			return err // want `Close does not release p.a`
		}
	}
	return nil
}

type inPlaceRight struct{ a, b *dev.Buf }

func (p *inPlaceRight) Close() error {
	var errs []error
	for _, b := range []*dev.Buf{p.a, p.b} {
		if err := b.Free(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
