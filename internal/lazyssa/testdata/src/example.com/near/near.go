// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package near hands out what far declares.
package near

import "example.com/far"

type Owner struct {
	*far.Handle
	Sub far.Sub
	All *far.List[*far.Handle]
}

var Shared = &far.Handle{}

const Big = far.Big

func New() *far.Handle  { return &far.Handle{} }
func Kinds() []far.Kind { return []far.Kind{far.Big} }
func Run(f far.Freer)   { f.Free() }
func Map[T far.Freer](xs []T, f func(T)) {
	for _, x := range xs {
		f(x)
	}
}
func Hold(h *far.Handle) (far.Freer, int) { return h, h.Len() }
