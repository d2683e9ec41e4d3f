// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package wgpu stands for a graphics library with explicit release.
package wgpu

import "image"

// Texture is an image on the device.
//
//gpumem:class wgput.texture noun=texture verb=released mem=device
//gpumem:resource wgput.texture release=Release,Dispose owned
type Texture struct{ h uintptr }

func (t *Texture) Release()          {}
func (t *Texture) Dispose()          {}
func (t *Texture) Size() image.Point { return image.Point{} }
func (t *Texture) Write(pix []byte)  {}

// Pipeline is a compiled set of shaders.
//
//gpumem:class wgput.pipeline noun=pipeline verb=released mem=device
//gpumem:resource wgput.pipeline release=Release owned
type Pipeline struct{ h uintptr }

func (p *Pipeline) Release() {}

// VBO is a vertex buffer.
//
//gpumem:class wgput.vbo noun="vertex buffer" verb=disposed mem=device
//gpumem:resource wgput.vbo release=Dispose owned
type VBO struct{ h uintptr }

func NewVBO(data []float32) *VBO { return nil }
func (v *VBO) Dispose()          {}

// CommandList is a COM object.
//
//gpumem:class wgput.com noun="COM object" verb=released mem=device
//gpumem:resource wgput.com release=Release owned
type CommandList struct{ h uintptr }

func (c *CommandList) Release() uint32 { return 0 }

// Device makes everything else.
type Device struct{ h uintptr }

func (d *Device) CreateTexture(w, h int) (*Texture, error)     { return nil, nil }
func (d *Device) CreatePipeline(src string) (*Pipeline, error) { return nil, nil }
func (d *Device) CreateCommandList() (*CommandList, error)     { return nil, nil }

// Surface is a window.
type Surface struct{ h uintptr }

// CurrentTexture registers a new texture of the frame.
func (s *Surface) CurrentTexture() (*Texture, error) { return nil, nil }
