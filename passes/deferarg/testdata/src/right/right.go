// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func free(b *dev.Buf) {
	if b != nil {
		b.Free()
	}
}

func literal(n int) (err error) {
	var buf *dev.Buf
	defer func() { free(buf) }()
	buf, err = dev.New(n)
	if err != nil {
		return err
	}
	return buf.Fill(0)
}

func after(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer free(buf)
	return buf.Fill(0)
}
