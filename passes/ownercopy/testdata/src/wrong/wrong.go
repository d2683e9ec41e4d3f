// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"runtime"

	"example.com/dev"
)

func twice(img dev.Mat) {
	other := img
	other.Close()
	img.Close() // want `other and img are copies of one Mat and both are closed: it is freed twice, clone it or hand it over \(GM403\)`
}

func deferred() {
	img := dev.NewMat()
	defer img.Close() // want `other and img are copies of one Mat`
	other := img
	other.Empty()
	other.Close()
}

func deferredBoth() {
	img := dev.NewMat()
	defer img.Close() // want `other and img are copies of one Mat`
	other := img
	defer other.Close()
}

func branch(fast bool) {
	img := dev.NewMat()
	other := img
	if fast {
		other.Close()
	}
	img.Close() // want `other and img are copies`
}

func closes(m dev.Mat) { m.Close() }

func passedOn() {
	img := dev.NewMat()
	closes(img)
	img.Close() // want `the argument of closes and img are copies of one Mat`
}

func ranged(mats []dev.Mat) {
	for _, m := range mats {
		m.Close()
	}
	for i := range mats {
		mats[i].Close() // want `m and mats\[i\] are copies of one Mat`
	}
}

type frame struct{ mat dev.Mat }

func (f *frame) Close() { f.mat.Close() }

func owners() {
	f := frame{mat: dev.NewMat()}
	g := f
	g.Close()
	f.Close() // want `g and f are copies of one frame and both are released`
}

type raw struct{ b *dev.Buf }

func (r *raw) Free() {
	if r.b != nil {
		r.b.Free()
		r.b = nil
	}
}

func pointers(a *raw) {
	b := *a
	b.Free()
	a.Free() // want `b and a are copies of one raw`
}

func assigned(img *dev.Mat) {
	out := dev.NewMat()
	defer out.Close() // want `img and out are copies of one Mat`
	*img = out
	img.Close()
}

type image struct {
	b    *dev.Buf
	w, h int
}

func newImage(w, h int) (*image, error) {
	b, err := dev.New(w * h)
	if err != nil {
		return nil, err
	}
	i := &image{b, w, h}
	runtime.SetFinalizer(i, (*image).dispose)
	return i, nil
}

func (i *image) dispose() {
	runtime.SetFinalizer(i, nil)
	i.b.Free()
}

func (i *image) grow() error {
	bigger, err := newImage(2*i.w, 2*i.h)
	if err != nil {
		return err
	}
	i.b.Free()
	*i = *bigger // want `bigger is copied while its finalizer stays armed, which will release what the copy owns: take it off with runtime.SetFinalizer\(bigger, nil\) \(GM403\)`
	return nil
}

func wrapped() {
	m := dev.NewMat()
	f := &frame{mat: m}
	f.Close()
	m.Close() // want `.* and m are copies of one Mat`
}

func wrappedByValue() {
	m := dev.NewMat()
	defer m.Close() // want `f.mat and m are copies of one Mat`
	f := frame{mat: m}
	defer f.Close()
}
