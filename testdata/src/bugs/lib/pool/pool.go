// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pool stands for a pool of device buffers with mandatory return.
package pool

// Buffer is a pooled buffer.
//
//gpumem:class poolt.buffer noun=buffer verb=returned mem=device pool=mandatory
//gpumem:resource poolt.buffer release=Put
type Buffer struct{ p uintptr }

func (b *Buffer) Len() int { return 0 }

//gpumem:acquire poolt.buffer result0
//gpumem:success always
func Get(size int) *Buffer { return nil }

//gpumem:release poolt.buffer b
func Put(b *Buffer) {}

// Session is a pooled inference session.
//
//gpumem:class poolt.session noun=session verb=returned mem=device pool=mandatory
//gpumem:resource poolt.session release=PutSession
type Session struct{ p uintptr }

//gpumem:use
func (s *Session) Generate(prompt string) (string, error) { return "", nil }

//gpumem:acquire poolt.session result0
//gpumem:success always
func GetSession() *Session { return nil }

//gpumem:release poolt.session s
func PutSession(s *Session) {}
