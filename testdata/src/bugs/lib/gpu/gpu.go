// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpu stands for a graphics library: images with parts, and contexts
// that are bound to a thread.
package gpu

// Image is a texture.
//
//gpumem:class gput.image noun=image verb="disposed of" mem=device
//gpumem:resource gput.image release=Dispose owned
type Image struct{ h uintptr }

func NewImage(w, h int) *Image { return nil }
func (i *Image) Dispose()      {}
func (i *Image) Clone() *Image { return nil }

// Rows is a view of some rows.
//
//gpumem:view gput.image result0 of=recv owned
func (i *Image) Rows(from, to int) *Image { return nil }

// Context is a device context.
//
//gpumem:class gput.context noun=context verb=closed mem=device
//gpumem:resource gput.context release=Close owned
type Context struct{ h uintptr }

func NewContext() (*Context, error)    { return nil, nil }
func (c *Context) Do(job func()) error { return nil }
func (c *Context) Alloc(n int) *Image  { return nil }
func (c *Context) Close() error        { return nil }
