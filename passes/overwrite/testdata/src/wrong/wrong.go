// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func variable(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	buf, err = dev.New(2 * n) // want `device buffer from dev.New \(line 9\) is lost: buf is assigned again before it is freed \(GM104\)`
	if err != nil {
		return err
	}
	buf.Free()
	return nil
}

func cleared(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	buf.Fill(0)
	buf = nil // want `GM104`
	if buf != nil {
		buf.Free()
	}
	return nil
}

// The type owns what its field holds: it is released through the pointer.
type owner struct{ buf *dev.Buf }

func destroyOwner(o *owner) { o.buf.Free() }

func (o *owner) SetBuf(buf *dev.Buf) { o.buf = buf } // want `GM104`
