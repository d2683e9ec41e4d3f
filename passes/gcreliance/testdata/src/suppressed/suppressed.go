// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import (
	"runtime"

	"example.com/dev"
)

type image struct{ b *dev.Buf }

func newImage(b *dev.Buf) *image {
	i := &image{b: b}
	runtime.SetFinalizer(i, func(i *image) { i.b.Free() })
	return i
}

func byHand(n int) (*image, error) {
	b, err := dev.New(n) //nolint:GM404 // lives as long as the program
	if err != nil {
		return nil, err
	}
	return &image{b: b}, nil
}
