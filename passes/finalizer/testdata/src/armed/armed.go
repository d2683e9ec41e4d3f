// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package armed

import (
	"runtime"
	"sync"

	"example.com/dev"
)

// Released by hand, and by the finalizer again.
type twice struct{ b *dev.Buf }

func newTwice() (*twice, error) {
	b, err := dev.New(1)
	if err != nil {
		return nil, err
	}
	t := &twice{b: b}
	runtime.SetFinalizer(t, func(t *twice) { t.b.Free() })
	return t, nil
}

func (t *twice) Close() {
	t.b.Free() // want `twice.b is released here and once more by its finalizer: take it off with runtime.SetFinalizer\(x, nil\), or clear the field \(GM402\)`
}

type takenOff struct{ b *dev.Buf }

func newTakenOff(b *dev.Buf) *takenOff {
	t := &takenOff{b: b}
	runtime.SetFinalizer(t, func(t *takenOff) { t.b.Free() })
	return t
}

func (t *takenOff) Close() {
	runtime.SetFinalizer(t, nil)
	t.b.Free()
}

type cleared struct{ b *dev.Buf }

func newCleared(b *dev.Buf) *cleared {
	t := &cleared{b: b}
	runtime.SetFinalizer(t, (*cleared).Close)
	return t
}

func (t *cleared) Close() {
	if t.b == nil {
		return
	}
	t.b.Free()
	t.b = nil
}

// The finalizer is the release itself, and that is not idempotent.
type itself struct{ b *dev.Buf }

func newItself(b *dev.Buf) *itself {
	t := &itself{b: b}
	runtime.SetFinalizer(t, (*itself).Close)
	return t
}

func (t *itself) Close() {
	t.b.Free() // want `itself.b is released here and once more by its finalizer`
}

// Nobody else calls it.
type hidden struct{ b *dev.Buf }

func newHidden(b *dev.Buf) *hidden {
	t := &hidden{b: b}
	runtime.SetFinalizer(t, (*hidden).finalize)
	return t
}

func (t *hidden) finalize() { t.b.Free() }

type flagged struct {
	closed bool
	b      *dev.Buf
}

func newFlagged(b *dev.Buf) *flagged {
	t := &flagged{b: b}
	runtime.SetFinalizer(t, func(t *flagged) { t.Close() })
	return t
}

func (t *flagged) Close() {
	if t.closed {
		return
	}
	t.closed = true
	t.b.Free()
}

type once struct {
	once sync.Once
	b    *dev.Buf
}

func newOnce(b *dev.Buf) *once {
	t := &once{b: b}
	runtime.SetFinalizer(t, (*once).Close)
	return t
}

func (t *once) Close() { t.once.Do(func() { t.b.Free() }) }

func freeBuf(b *dev.Buf) { b.Free() }

// A cleanup has the handle: clearing the field does not stop it.
type cleanup struct{ b *dev.Buf }

func newCleanup(b *dev.Buf) *cleanup {
	t := &cleanup{b: b}
	runtime.AddCleanup(t, freeBuf, b)
	return t
}

func (t *cleanup) Close() {
	if t.b != nil {
		t.b.Free() // want `cleanup.b is released here and once more by its cleanup: keep the Cleanup and call Stop \(GM402\)`
		t.b = nil
	}
}

type stopped struct {
	b *dev.Buf
	c runtime.Cleanup
}

func newStopped(b *dev.Buf) *stopped {
	t := &stopped{b: b}
	t.c = runtime.AddCleanup(t, freeBuf, b)
	return t
}

func (t *stopped) Close() {
	t.c.Stop()
	t.b.Free()
}

// Harmless by the library.
type mat struct{ m *dev.Mat }

func newMat(m *dev.Mat) *mat {
	t := &mat{m: m}
	runtime.SetFinalizer(t, func(t *mat) { t.m.Close() })
	return t
}

func (t *mat) Close() { t.m.Close() }

// Somebody releases the handle out of the object.
type window struct{ tex *texture }

type texture struct{ h *dev.Buf }

func newTexture(b *dev.Buf) *texture {
	t := &texture{h: b}
	runtime.SetFinalizer(t, func(t *texture) { t.h.Free() })
	return t
}

func (w *window) Unload() {
	w.tex.h.Free() // want `texture.h is released here and once more by its finalizer`
	w.tex = nil
}

func (w *window) Reload(b *dev.Buf) {
	if w.tex != nil {
		runtime.SetFinalizer(w.tex, nil)
		w.tex.h.Free()
	}
	w.tex = newTexture(b)
}

// The library has a finalizer of its own.
func play() {
	n := dev.NewNode()
	n.Play()
	n.Unref() // want `node is unreferenced here and once more by the library's finalizer: take that off with runtime.SetFinalizer\(x, nil\) first \(GM402\)`
}

func playRight() {
	n := dev.NewNode()
	n.Play()
	runtime.SetFinalizer(n, nil)
	n.Unref()
}

// The handle lies in a struct that is the field, and Close has a test.
type nested struct{ in box }

type box struct{ b *dev.Buf }

func (x *box) Free() { x.b.Free() }

func newNested(b *dev.Buf) *nested {
	t := &nested{in: box{b}}
	runtime.SetFinalizer(t, finishNested)
	return t
}

func finishNested(t *nested) { t.Close() }

func (t *nested) Close() {
	if t.in.b == nil {
		return
	}
	t.in.b.Free()
	t.in.b = nil
}
