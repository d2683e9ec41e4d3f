// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package skip

import (
	"errors"
	"fmt"
	"log"

	"example.com/dev"
)

type model struct {
	session *dev.Session
	input   *dev.Buf
	output  *dev.Buf
}

// The first error ends it.
func (m *model) Close() error {
	if err := m.session.Close(); err != nil {
		return err // want `Close does not release m.input \(and 1 more field\) when m.session.Close fails: go on and join the errors \(GM401\)`
	}
	if err := m.input.Free(); err != nil {
		return err
	}
	return m.output.Free()
}

type joined struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *joined) Close() error { return errors.Join(m.session.Close(), m.input.Free()) }

type logged struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *logged) Destroy() {
	if err := m.session.Close(); err != nil {
		log.Print(err)
		return // want `Destroy does not release m.input when m.session.Close fails`
	}
	m.input.Free()
}

type goesOn struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *goesOn) Destroy() {
	if err := m.session.Close(); err != nil {
		log.Print(err)
	}
	m.input.Free()
}

// The first error is kept, and everything is released.
type first struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *first) Close() error {
	var first error
	if err := m.session.Close(); err != nil {
		first = err
	}
	if err := m.input.Free(); err != nil && first == nil {
		first = err
	}
	return first
}

type chained struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *chained) Close() error {
	err := m.session.Close()
	if err == nil {
		err = m.input.Free()
	}
	return err // want `Close does not release m.input when m.session.Close fails`
}

type deferredRest struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *deferredRest) Close() error {
	defer m.input.Free()
	if err := m.session.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Waiting for the work fails, and all stays.
type waits struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *waits) Close() error {
	if err := m.session.Wait(); err != nil {
		return fmt.Errorf("wait: %w", err) // want `Close does not release m.session \(and 1 more field\) when m.session.Wait fails`
	}
	return errors.Join(m.session.Close(), m.input.Free())
}

var errClosed = errors.New("closed")

// An early return that asks whether the value is open.
type guarded struct {
	open    bool
	session *dev.Session
	input   *dev.Buf
}

func (m *guarded) check() error {
	if !m.open {
		return errClosed
	}
	return nil
}

func (m *guarded) Close() error {
	if err := m.check(); err != nil {
		return err
	}
	m.open = false
	return errors.Join(m.session.Close(), m.input.Free())
}

// A list, of which the first failure leaves the rest.
type list struct{ bufs []*dev.Buf }

func (l *list) Close() error {
	for _, b := range l.bufs {
		if err := b.Free(); err != nil {
			return err // want `Close leaves the rest of l.bufs behind when dev.Buf.Free fails|Close leaves the rest of l.bufs`
		}
	}
	return nil
}

type wholeList struct{ bufs []*dev.Buf }

func (l *wholeList) Close() error {
	var errs []error
	for _, b := range l.bufs {
		if err := b.Free(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// A helper that fails.
type helped struct {
	a, b *dev.Buf
}

func (h *helped) closeA() error { return h.a.Free() }

func (h *helped) Close() error {
	if err := h.closeA(); err != nil {
		return err // want `Close does not release h.b when h.closeA fails`
	}
	return h.b.Free()
}

// Not owned: the caller's.
type borrowed struct {
	owned   bool
	session *dev.Session
	input   *dev.Buf
}

func (m *borrowed) Close() error {
	err := m.session.Close()
	if !m.owned {
		return err
	}
	return errors.Join(err, m.input.Free())
}

// A literal in place.
type literal struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *literal) Close() error {
	return func() error { // want `Close does not release m.input when m.session.Close fails`
		if err := m.session.Close(); err != nil {
			return err
		}
		return m.input.Free()
	}()
}

// A struct handle.
type frames struct {
	s *dev.Session
	m dev.Mat
}

func (f *frames) Close() error {
	if err := f.s.Close(); err != nil {
		return err // want `Close does not release f.m when f.s.Close fails`
	}
	return f.m.Close()
}

type framesRight struct {
	s *dev.Session
	m dev.Mat
}

func (f *framesRight) Close() error {
	err := f.s.Close()
	if merr := f.m.Close(); err == nil {
		err = merr
	}
	return err
}

// A list of struct handles.
type batch struct{ mats []dev.Mat }

func (b *batch) Close() error {
	for i := range b.mats {
		if err := b.mats[i].Close(); err != nil {
			return err // want `Close leaves the rest of b.mats behind when b.mats\[i\].Close fails: go on and join the errors`
		}
	}
	return nil
}

type batchRight struct{ mats []dev.Mat }

func (b *batchRight) Close() error {
	var errs []error
	for i := range b.mats {
		if err := b.mats[i].Close(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
