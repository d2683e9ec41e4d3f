// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

type b05ServerBug struct{ model *C.llm_model }

// The model is freed and stays in the field; the runner closes the server when
// it is unloaded and when the program ends.
func (s *b05ServerBug) Close() error {
	if s.model != nil {
		C.llm_free_model(s.model) // want GM401
	}
	return nil
}

type b05RunnerBug struct{ server *b05ServerBug }

func (r *b05RunnerBug) unload() {
	if r.server != nil {
		r.server.Close()
	}
}

func (r *b05RunnerBug) exit() error {
	if r.server == nil {
		return nil
	}
	return r.server.Close()
}

type b05ServerFixed struct{ model *C.llm_model }

func (s *b05ServerFixed) Close() error {
	if s.model != nil {
		C.llm_free_model(s.model)
		s.model = nil
	}
	return nil
}

type b05RunnerFixed struct{ server *b05ServerFixed }

func (r *b05RunnerFixed) unload() {
	if r.server != nil {
		r.server.Close()
	}
}

func (r *b05RunnerFixed) exit() error {
	if r.server == nil {
		return nil
	}
	return r.server.Close()
}
