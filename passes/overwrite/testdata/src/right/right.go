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
