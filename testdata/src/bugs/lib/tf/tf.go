// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package tf stands for a graph library with sessions.
package tf

// Session runs a graph.
//
//gpumem:class tft.session noun=session verb=closed mem=device
//gpumem:resource tft.session release=Close owned
type Session struct{ s uintptr }

func NewSession(path string) (*Session, error) { return nil, nil }
func (s *Session) Run() error                  { return nil }
func (s *Session) Close() error                { return nil }
