// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"errors"
	"testing"

	"example.com/dev"
)

func draw(s *dev.Surface) int {
	f, err := s.Next() // want `frame from Surface.Next is never given back \(GM102\)`
	if err != nil {
		return 0
	}
	_ = f
	return 1
}

// The error is looked at, and success is no failure of the test.
func TestOpen(t *testing.T) {
	buf, err := dev.New(1) // want `device buffer from dev.New is never freed \(GM102\)`
	if errors.Is(err, dev.ErrClosed) {
		t.Errorf("got %v", err)
	}
	buf.Fill(0)
}
