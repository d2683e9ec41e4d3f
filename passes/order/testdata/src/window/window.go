// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package window

import "example.com/gl"

type window struct {
	view  *gl.Window
	dirty []gl.Texture
	tex   gl.Texture
}

func (w *window) freeDirty() {
	for _, t := range w.dirty {
		gl.DeleteTexture(t)
	}
	w.dirty = nil
}

func (w *window) paint() { gl.Draw(w.tex) }

func frameWrong(windows []*window) {
	for _, w := range windows {
		w.freeDirty() // want `window.freeDirty works on handles of a context that becomes current only at Window.MakeContextCurrent \(line 26\): bind it first \(GM505\)`
		w.view.MakeContextCurrent()
		w.paint()
		w.view.SwapBuffers()
	}
}

func (w *window) replaceWrong() {
	gl.DeleteTexture(w.tex) // want `gl.DeleteTexture works on handles of a context`
	w.view.MakeContextCurrent()
	w.tex = gl.GenTexture()
}

func frameRight(windows []*window) {
	for _, w := range windows {
		w.view.MakeContextCurrent()
		w.freeDirty()
		w.paint()
		w.view.SwapBuffers()
	}
}

func (w *window) replaceRight() {
	w.view.MakeContextCurrent()
	gl.DeleteTexture(w.tex)
	w.tex = gl.GenTexture()
}

// The caller's context is current, and another follows.
func share(a, b *window) {
	a.freeDirty()
	b.view.MakeContextCurrent()
	b.paint()
}

// Nothing is done with handles before.
func loop(w *window) {
	for !w.view.ShouldClose() {
		w.view.MakeContextCurrent()
		w.paint()
		w.freeDirty()
		w.view.SwapBuffers()
	}
}

func closing(w *window, last bool) {
	if last {
		w.freeDirty()
		return
	}
	w.view.MakeContextCurrent()
	w.paint()
}
