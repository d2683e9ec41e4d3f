// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package missing

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
	b, err := dev.New(n) // want `device buffer from dev.New is returned in a image without the finalizer that newImage sets: nothing ever releases it, build it there \(GM404\)`
	if err != nil {
		return nil, err
	}
	return &image{b: b}, nil
}

func byConstructor(n int) (*image, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return newImage(b), nil
}

func withItsOwn(n int) (*image, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	i := &image{b: b}
	runtime.SetFinalizer(i, func(i *image) { i.b.Free() })
	return i, nil
}

// The finalizer is set on the box, and the wrapper points at that.
type tensor struct{ h *dev.Handle }

func setFinalizer(h *dev.Handle) {
	runtime.SetFinalizer(h, func(h *dev.Handle) { dev.Close(*h) })
}

func boxed() tensor {
	h := dev.Open()
	setFinalizer(&h)
	return tensor{&h}
}

func unboxed() tensor {
	h := dev.Open() // want `handle from dev.Open is returned in a tensor without the finalizer that setFinalizer sets`
	return tensor{&h}
}

// Whoever gets one can close it.
type closable struct{ b *dev.Buf }

func (c *closable) Close() {
	runtime.SetFinalizer(c, nil)
	c.b.Free()
}

func newClosable(n int) (*closable, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	c := &closable{b: b}
	runtime.SetFinalizer(c, (*closable).Close)
	return c, nil
}

func scoped(n int) (*closable, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return &closable{b: b}, nil
}
