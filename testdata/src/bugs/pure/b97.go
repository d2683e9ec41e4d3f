// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gl"

type b97Window struct {
	view  *gl.Window
	dirty []gl.Texture
}

func b97FreeDirty(w *b97Window) {
	for _, t := range w.dirty {
		gl.DeleteTexture(t)
	}
	w.dirty = nil
}

// Textures are deleted while the context of the window drawn before is current.
func b97DrawBug(windows []*b97Window) {
	for _, w := range windows {
		if w.view.ShouldClose() {
			continue
		}
		b97FreeDirty(w) // want GM505
		w.view.MakeContextCurrent()
		w.view.SwapBuffers()
	}
}

func b97DrawFixed(windows []*b97Window) {
	for _, w := range windows {
		if w.view.ShouldClose() {
			continue
		}
		w.view.MakeContextCurrent()
		b97FreeDirty(w)
		w.view.SwapBuffers()
	}
}
