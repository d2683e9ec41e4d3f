// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"errors"
	"testing"

	"example.com/dev"
)

func draw(s *dev.Surface, skip bool) error {
	f, err := s.Next()
	if err != nil {
		return err
	}
	if skip {
		s.Discard()
		return nil
	}
	return s.Present(f)
}

func drop(s *dev.Surface) error {
	if _, err := s.Next(); err != nil {
		return err
	}
	s.Discard()
	return nil
}

// Only failure passes these tests.
func TestClosed(t *testing.T) {
	_, err := dev.New(1)
	if !errors.Is(err, dev.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestClosedToo(t *testing.T) {
	buf, err := dev.New(1)
	if err == nil || !errors.Is(err, dev.ErrClosed) {
		t.Fatalf("got %v, %v", buf, err)
	}
}
