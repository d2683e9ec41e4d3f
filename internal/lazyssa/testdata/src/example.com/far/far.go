// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package far is imported by near, not by user.
package far

import "sync"

type Handle struct {
	sync.Once
	N int
}

func (h *Handle) Free()    {}
func (h Handle) Len() int  { return h.N }
func (h *Handle) Sub() Sub { return Sub{h} }

type Sub struct{ *Handle }

type Freer interface{ Free() }

type List[T any] struct{ items []T }

func (l *List[T]) Add(x T) { l.items = append(l.items, x) }
func (l *List[T]) Each(f func(T)) {
	for _, x := range l.items {
		f(x)
	}
}

type Kind int

const Big Kind = 7

func (k Kind) String() string { return "kind" }
