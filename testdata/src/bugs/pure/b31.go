// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/xla"

type b31ModelBug struct{ exec *xla.Exec }

// Every input shape compiles a program of its own, and none is dropped.
func b31LoadBug(fn func([]float32) []float32) *b31ModelBug {
	exec := xla.NewExec(fn)
	exec.SetMaxCache(-1) // want GM203
	return &b31ModelBug{exec: exec}
}

func (m *b31ModelBug) Close() { m.exec.Finalize() }

type b31ModelFixed struct{ exec *xla.Exec }

func b31LoadFixed(fn func([]float32) []float32) *b31ModelFixed {
	exec := xla.NewExec(fn)
	exec.SetMaxCache(16)
	return &b31ModelFixed{exec: exec}
}

func (m *b31ModelFixed) Close() { m.exec.Finalize() }
