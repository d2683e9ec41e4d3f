// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"runtime"

	"bugs/lib/gpu"
)

type b141Face struct {
	id   uint64
	name string
}

type b141CacheBug struct{ m map[*b141Face]*gpu.Image }

// The key keeps the face alive, so its finalizer never runs and the entry
// stays for ever.
func (c *b141CacheBug) glyph(face *b141Face) *gpu.Image {
	if img, ok := c.m[face]; ok {
		return img
	}
	img := gpu.NewImage(16, 16)
	c.m[face] = img // want GM203
	return img
}

func (c *b141CacheBug) clear(face *b141Face) {
	if img, ok := c.m[face]; ok {
		img.Dispose()
		delete(c.m, face)
	}
}

var b141GlyphsBug = &b141CacheBug{m: map[*b141Face]*gpu.Image{}}

func b141NewFaceBug(name string) *b141Face {
	f := &b141Face{name: name}
	runtime.SetFinalizer(f, b141GlyphsBug.clear)
	return f
}

type b141CacheFixed struct{ m map[uint64]*gpu.Image }

func (c *b141CacheFixed) glyph(face *b141Face) *gpu.Image {
	if img, ok := c.m[face.id]; ok {
		return img
	}
	img := gpu.NewImage(16, 16)
	c.m[face.id] = img
	return img
}

func (c *b141CacheFixed) clear(face *b141Face) {
	if img, ok := c.m[face.id]; ok {
		img.Dispose()
		delete(c.m, face.id)
	}
}

var b141GlyphsFixed = &b141CacheFixed{m: map[uint64]*gpu.Image{}}

func b141NewFaceFixed(id uint64, name string) *b141Face {
	f := &b141Face{id: id, name: name}
	runtime.SetFinalizer(f, b141GlyphsFixed.clear)
	return f
}
