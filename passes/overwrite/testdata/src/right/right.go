// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func variable(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	buf.Free()
	buf, err = dev.New(2 * n)
	if err != nil {
		return err
	}
	buf.Free()
	return nil
}

// The old value is kept under another name.
func swap(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	old := buf
	buf, err = dev.New(2 * n)
	if err != nil {
		old.Free()
		return err
	}
	old.Free()
	buf.Free()
	return nil
}

// A handle that is copied about: the release takes it by value, and setting the
// field of one copy loses nothing that another does not have.
type group struct{ buf *dev.Buf }

func destroyGroup(g group) { g.buf.Free() }

func (g *group) SetBuf(buf *dev.Buf) { g.buf = buf }
