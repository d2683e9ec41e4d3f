// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package forget

import "example.com/dev"

// Model is exported, and so are its fields.
type Model struct {
	Input  *dev.Buf
	Output *dev.Buf
}

// NewModel makes one.
func NewModel(n int) (*Model, error) {
	in, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	out, err := dev.New(n)
	if err != nil {
		in.Free()
		return nil, err
	}
	return &Model{Input: in, Output: out}, nil
}

func (m *Model) Close() error { return m.Input.Free() } // want `Close does not release m.Output, which this package fills: release it there too \(GM401\)`

// Whole releases both.
type Whole struct {
	Input  *dev.Buf
	Output *dev.Buf
}

// NewWhole makes one.
func NewWhole(n int) (*Whole, error) {
	in, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	out, err := dev.New(n)
	if err != nil {
		in.Free()
		return nil, err
	}
	return &Whole{Input: in, Output: out}, nil
}

func (m *Whole) Close() error {
	m.Output.Free()
	return m.Input.Free()
}

// View only borrows Output.
type View struct {
	Input  *dev.Buf
	Output *dev.Buf
}

// NewView does not own out.
func NewView(n int, out *dev.Buf) (*View, error) {
	in, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return &View{Input: in, Output: out}, nil
}

func (m *View) Close() error { return m.Input.Free() }

// Replaced on each call, and full at the end.
type stage struct {
	base    *dev.Buf
	scratch *dev.Buf
}

func (s *stage) resize(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	if s.scratch != nil {
		s.scratch.Free()
	}
	s.scratch = b
	return nil
}

func (s *stage) Close() { // want `Close does not release s.scratch`
	s.base.Free()
}

type stageRight struct {
	base    *dev.Buf
	scratch *dev.Buf
}

func (s *stageRight) resize(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	if s.scratch != nil {
		s.scratch.Free()
	}
	s.scratch = b
	return nil
}

func (s *stageRight) Close() {
	s.base.Free()
	if s.scratch != nil {
		s.scratch.Free()
	}
}

// Two steps, and both are called.
type twoStep struct {
	base    *dev.Buf
	scratch *dev.Buf
}

func (s *twoStep) Stop()  { s.scratch.Free() }
func (s *twoStep) Close() { s.base.Free() }
