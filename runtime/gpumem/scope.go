// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Scope owns what is allocated through it and closes it all at once.
type Scope struct {
	dev *Device

	mu     sync.Mutex
	owned  []io.Closer
	closed bool
}

// Run calls f with a new scope and closes what the scope owns when f returns,
// also when it panics, in reverse order. The error joins that of f and those
// of the closes. The error keeps nothing alive, so a caller may try again with
// less.
func (d *Device) Run(ctx context.Context, f func(ctx context.Context, s *Scope) error) (err error) {
	s := &Scope{dev: d}
	defer func() { err = errors.Join(err, s.close()) }()
	return f(ctx, s)
}

// Device is the device that the scope allocates on.
func (s *Scope) Device() *Device { return s.dev }

// Alloc is [Device.Alloc]; the buffer is closed with the scope, unless the
// program closes it before.
func (s *Scope) Alloc(n int64, opts ...AllocOption) (Buffer, error) {
	b, err := s.dev.allocate(1, n, opts)
	if err != nil {
		return Buffer{}, err
	}
	return b, s.Own(b)
}

// Own closes c with the scope. Where the scope is closed already, c is closed
// at once and the error matches ErrClosed. What closes itself twice with
// ErrClosed may be closed by the program before.
func (s *Scope) Own(c io.Closer) error {
	s.mu.Lock()
	if !s.closed {
		s.owned = append(s.owned, c)
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	return errors.Join(fmt.Errorf("scope: %w", ErrClosed), c.Close())
}

func (s *Scope) close() error {
	s.mu.Lock()
	owned := s.owned
	s.owned, s.closed = nil, true
	s.mu.Unlock()
	var err error
	for i := len(owned) - 1; i >= 0; i-- {
		if e := owned[i].Close(); e != nil && !errors.Is(e, ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Phase measures a part of the program.
type Phase struct {
	dev      *Device
	name     string
	start    int64
	allocs   int64
	peak     int64 // active bytes
	reserved int64
}

// PhaseStats is what a phase took, in bytes and calls.
type PhaseStats struct {
	Name         string
	Start, End   int64 // active bytes
	Peak         int64 // most active bytes meanwhile
	PeakReserved int64
	Allocs       int64 // buffers handed out
}

// Phase begins a part of the program whose peak is measured apart. Phases may
// nest and overlap. They do not disturb the device's own peaks.
func (d *Device) Phase(name string) *Phase {
	d.peaks.mu.Lock()
	defer d.peaks.mu.Unlock()
	active, allocs := d.fold()
	p := &Phase{dev: d, name: name, start: active, allocs: allocs, peak: active, reserved: d.acct.total()}
	d.peaks.phases = append(d.peaks.phases, p)
	return p
}

// End ends the phase and says what it took. A second End says the same of a
// phase that is over: only its end moves.
func (p *Phase) End() PhaseStats {
	d := p.dev
	d.peaks.mu.Lock()
	defer d.peaks.mu.Unlock()
	active, allocs := d.fold()
	for i, o := range d.peaks.phases {
		if o == p {
			d.peaks.phases = append(d.peaks.phases[:i], d.peaks.phases[i+1:]...)
			break
		}
	}
	return PhaseStats{Name: p.name, Start: p.start, End: active, Peak: p.peak, PeakReserved: p.reserved, Allocs: allocs - p.allocs}
}
