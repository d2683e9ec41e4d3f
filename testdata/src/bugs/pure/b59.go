// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

// The frame's texture is registered anew in each frame and never given back.
func b59PresentBug(s *wgpu.Surface, frames int) error {
	for i := 0; i < frames; i++ {
		tex, err := s.CurrentTexture() // want GM102
		if err != nil {
			return err
		}
		tex.Write(nil)
	}
	return nil
}

func b59PresentFixed(s *wgpu.Surface, frames int) error {
	tex, err := s.CurrentTexture()
	if err != nil {
		return err
	}
	defer tex.Release()
	for i := 0; i < frames; i++ {
		tex.Write(nil)
	}
	return nil
}
