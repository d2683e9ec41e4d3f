// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gpu"

// The state of each boundary is a slice of the buffer that the whole forward
// pass was computed in: what is kept for one keeps all.
type b07StatesBug struct{ states []*gpu.Image }

func (s *b07StatesBug) forward(concat *gpu.Image, steps int) {
	for i := range steps {
		s.states = append(s.states, concat.Rows(i, i+1)) // want GM205
	}
}

func (s *b07StatesBug) reset() {
	for _, st := range s.states {
		st.Dispose()
	}
	s.states = s.states[:0]
}

type b07StatesFixed struct{ states []*gpu.Image }

func (s *b07StatesFixed) forward(concat *gpu.Image, steps int) {
	for i := range steps {
		rows := concat.Rows(i, i+1)
		s.states = append(s.states, rows.Clone())
		rows.Dispose()
	}
}

func (s *b07StatesFixed) reset() {
	for _, st := range s.states {
		st.Dispose()
	}
	s.states = s.states[:0]
}
