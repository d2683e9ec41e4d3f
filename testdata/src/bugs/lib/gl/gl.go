// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gl stands for OpenGL and its windows.
package gl

// A Window has a context of its own.
//
//gpumem:class glt.window noun=window verb=destroyed mem=handle
//gpumem:resource glt.window release=Destroy
type Window struct{ p uintptr }

//gpumem:release recv
func (w *Window) Destroy() { w.p = 0 }

//gpumem:thread recv
func (w *Window) MakeContextCurrent() {}

//gpumem:use
func (w *Window) ShouldClose() bool { return w.p == 0 }

//gpumem:use
func (w *Window) SwapBuffers() {}

// A Texture is a name in the current context.
//
//gpumem:class glt.texture noun=texture verb=deleted mem=device
//gpumem:resource glt.texture
type Texture uint32

//gpumem:acquire result0
func GenTexture() Texture { return 1 }

//gpumem:release t
func DeleteTexture(t Texture) {}

//gpumem:use
func Draw(t Texture) {}
