// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"runtime"

	"example.com/dev"
)

func clone(img dev.Mat) {
	other := img.Clone()
	other.Close()
	img.Close()
}

func handedOver() dev.Mat {
	img := dev.NewMat()
	other := img
	return other
}

func onlyTheCopy() {
	img := dev.NewMat()
	other := img
	other.Close()
}

func moved() {
	img := dev.NewMat()
	other := img
	img = dev.NewMat()
	other.Close()
	img.Close()
}

func swapped() {
	prev, cur := dev.NewMat(), dev.NewMat()
	defer prev.Close()
	defer cur.Close()
	for i := 0; i < 3; i++ {
		prev, cur = cur, prev
	}
}

func either(fast bool) {
	img := dev.NewMat()
	other := img
	if fast {
		other.Close()
	} else {
		img.Close()
	}
}

func correlated(keep bool) {
	img := dev.NewMat()
	other := img
	if keep {
		other.Close()
	}
	other.Empty()
	if !keep {
		img.Close()
	}
}

func returnsEarly(fast bool) {
	img := dev.NewMat()
	other := img
	if fast {
		other.Close()
		return
	}
	img.Close()
}

func ranged(mats []dev.Mat) {
	for _, m := range mats {
		m.Close()
	}
}

func rangedOrIndexed(mats []dev.Mat, byIndex bool) {
	if byIndex {
		for i := range mats {
			mats[i].Close()
		}
		return
	}
	for _, m := range mats {
		m.Close()
	}
}

// Each element is closed by one of the two.
func alternating(mats []dev.Mat) {
	for i, m := range mats {
		if i%2 == 0 {
			m.Close()
		} else {
			mats[i].Close()
		}
	}
}

func looks(m dev.Mat) bool { return m.Empty() }

func passedOn() {
	img := dev.NewMat()
	looks(img)
	img.Close()
}

func replaced(first dev.Mat) {
	cur := first
	next := dev.NewMat()
	cur.Close()
	cur = next
	cur.Close()
}

// The object behind the pointer may be released twice.
type safe struct{ m *dev.Mat }

func (s *safe) Close() { s.m.Close() }

func shared(s safe) {
	t := s
	t.Close()
	s.Close()
}

type raw struct{ b *dev.Buf }

func (r *raw) Free() {
	if r.b != nil {
		r.b.Free()
		r.b = nil
	}
}

func movedOut(a *raw) {
	b := *a
	*a = raw{}
	b.Free()
	a.Free()
}

func cleared(a *raw) {
	b := *a
	a.b = nil
	b.Free()
	a.Free()
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
	runtime.SetFinalizer(bigger, nil)
	i.b.Free()
	*i = *bigger
	return nil
}

// The last one is cut off first.
func cutOff(mats []dev.Mat) {
	m := mats[len(mats)-1]
	mats = mats[:len(mats)-1]
	defer m.Close()
	for i := range mats {
		mats[i].Close()
	}
}

type frame struct{ mat dev.Mat }

func (f *frame) Close() { f.mat.Close() }

func wrapped() {
	m := dev.NewMat()
	f := &frame{mat: m}
	f.Close()
}

// The first one is the caller's, the others are made here.
func pipeline(img dev.Mat) {
	cur := img
	for i := 0; i < 3; i++ {
		next := cur.Clone()
		if i > 0 {
			cur.Close()
		}
		cur = next
	}
	cur.Close()
	img.Close()
}
