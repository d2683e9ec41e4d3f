// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b55ViewBug struct {
	dev *wgpu.Device
	tex *wgpu.Texture
}

func (v *b55ViewBug) Release() { v.tex.Release() }

// Called once a frame: a new texture each time, the old one is lost.
func (v *b55ViewBug) setImage(w, h int, pix []byte) error {
	tex, err := v.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	tex.Write(pix)
	v.tex = tex // want GM104
	return nil
}

type b55ViewFixed struct {
	dev *wgpu.Device
	tex *wgpu.Texture
}

func (v *b55ViewFixed) Release() { v.tex.Release() }

func (v *b55ViewFixed) setImage(w, h int, pix []byte) error {
	if v.tex != nil && v.tex.Size().X == w && v.tex.Size().Y == h {
		v.tex.Write(pix)
		return nil
	}
	tex, err := v.dev.CreateTexture(w, h)
	if err != nil {
		return err
	}
	tex.Write(pix)
	if v.tex != nil {
		v.tex.Release()
	}
	v.tex = tex
	return nil
}
