// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

func free(b *dev.Buf) {
	if b != nil {
		b.Free()
	}
}

func early(n int) (err error) {
	var buf *dev.Buf
	defer free(buf) //nolint:GM106 // the buffer belongs to the stream
	buf, err = dev.New(n)
	if err != nil {
		return err
	}
	return buf.Fill(0)
}
