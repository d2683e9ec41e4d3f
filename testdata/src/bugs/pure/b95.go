// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b95GeometryBug struct {
	index *wgpu.VBO
	vbos  []*wgpu.VBO
}

func (g *b95GeometryBug) AddVBO(data []float32) {
	g.vbos = append(g.vbos, wgpu.NewVBO(data)) // want GM102|GM103|GM201
}

func (g *b95GeometryBug) SetIndex(data []float32) {
	if g.index != nil {
		g.index.Dispose()
	}
	g.index = wgpu.NewVBO(data)
}

// Dispose knows of the index buffer and not of the others.
func (g *b95GeometryBug) Dispose() {
	if g.index != nil {
		g.index.Dispose()
	}
}

type b95GeometryFixed struct {
	index *wgpu.VBO
	vbos  []*wgpu.VBO
}

func (g *b95GeometryFixed) AddVBO(data []float32) {
	g.vbos = append(g.vbos, wgpu.NewVBO(data))
}

func (g *b95GeometryFixed) SetIndex(data []float32) {
	if g.index != nil {
		g.index.Dispose()
	}
	g.index = wgpu.NewVBO(data)
}

func (g *b95GeometryFixed) Dispose() {
	for _, v := range g.vbos {
		v.Dispose()
	}
	if g.index != nil {
		g.index.Dispose()
	}
}
