// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func named(n int) bool {
	buf, err := dev.New(n)
	if err != nil {
		return false
	}
	buf.Free()
	return true
}

type owner struct{ buf *dev.Buf }

func (o *owner) Close() { o.buf.Free() }

func must(n int) *dev.Buf {
	buf, _ := dev.New(n)
	return buf
}

func take(buf *dev.Buf) { buf.Free() }

func inline(n int) *owner {
	take(must(n))
	return &owner{must(n)}
}
