// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package wrap puts types of its own around the library.
package wrap

import "example.com/dev"

type Model struct{ ctx *dev.Context }

func Load() (*Model, error) {
	c, err := dev.NewContext()
	if err != nil {
		return nil, err
	}
	return &Model{c}, nil
}

func (m *Model) Close() error { return m.ctx.Close() }

type Session struct {
	m   *Model
	buf *dev.Buf
}

// NewSession makes a session that lives in the model's context.
func (m *Model) NewSession(n int) (*Session, error) {
	b, err := m.ctx.Alloc(n)
	if err != nil {
		return nil, err
	}
	return &Session{m, b}, nil
}

func (s *Session) Close() { s.buf.Free() }

func (s *Session) Run() error { return s.buf.Fill(0) }
