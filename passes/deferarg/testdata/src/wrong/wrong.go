// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func free(b *dev.Buf) {
	if b != nil {
		b.Free()
	}
}

func early(n int) (err error) {
	var buf *dev.Buf
	defer free(buf) // want `deferred call has already evaluated its argument, still nil here: device buffer from dev.New \(line 17\) is not freed; defer it after the acquisition or inside a func literal \(GM106\)`
	buf, err = dev.New(n)
	if err != nil {
		return err
	}
	return buf.Fill(0)
}
