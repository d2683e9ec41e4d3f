// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b139MipmapBug struct{ levels []*wgpu.Texture }

func (m *b139MipmapBug) Destroy() {
	for _, t := range m.levels {
		t.Release()
	}
	m.levels = nil
}

type b139ImageBug struct{ mipmap *b139MipmapBug }

// The second call finds the nil that the first one left.
func (i *b139ImageBug) MarkDisposed() {
	i.mipmap.Destroy() // want GM401
	i.mipmap = nil
}

type b139MipmapFixed struct{ levels []*wgpu.Texture }

func (m *b139MipmapFixed) Destroy() {
	for _, t := range m.levels {
		t.Release()
	}
	m.levels = nil
}

type b139ImageFixed struct{ mipmap *b139MipmapFixed }

func (i *b139ImageFixed) MarkDisposed() {
	if i.mipmap == nil {
		return
	}
	i.mipmap.Destroy()
	i.mipmap = nil
}
