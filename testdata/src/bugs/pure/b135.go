// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b135ContextBug struct {
	dev        *wgpu.Device
	offscreen  *wgpu.Texture
	offscreen2 *wgpu.Texture
}

func (c *b135ContextBug) Close() {
	c.offscreen.Dispose()
	c.offscreen2.Dispose()
}

// One of two offscreen images is disposed before both are made anew.
func (c *b135ContextBug) setSize(w, h int) error {
	if c.offscreen != nil {
		c.offscreen.Dispose()
	}
	a, err := c.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	c.offscreen = a
	b, err := c.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	c.offscreen2 = b // want GM104
	return nil
}

type b135ContextFixed struct {
	dev        *wgpu.Device
	offscreen  *wgpu.Texture
	offscreen2 *wgpu.Texture
}

func (c *b135ContextFixed) Close() {
	c.offscreen.Dispose()
	c.offscreen2.Dispose()
}

func (c *b135ContextFixed) setSize(w, h int) error {
	if c.offscreen != nil {
		c.offscreen.Dispose()
	}
	if c.offscreen2 != nil {
		c.offscreen2.Dispose()
	}
	a, err := c.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	c.offscreen = a
	b, err := c.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	c.offscreen2 = b
	return nil
}
