// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type t21State struct {
	color    *wgpu.Texture
	depth    *wgpu.Texture
	pipeline *wgpu.Pipeline
}

func (s *t21State) Destroy() {
	if s.pipeline != nil {
		s.pipeline.Release()
		s.pipeline = nil
	}
	if s.depth != nil {
		s.depth.Release()
		s.depth = nil
	}
	if s.color != nil {
		s.color.Release()
		s.color = nil
	}
}

// Fields filled one by one, with many ways out, all of which the deferred
// closure covers; a temporary goes by its own defer.
func t21Init(dev *wgpu.Device) (s *t21State, err error) {
	defer func() {
		if err != nil {
			s.Destroy()
			s = nil
		}
	}()
	s = &t21State{}
	s.color, err = dev.CreateTexture(640, 480)
	if err != nil {
		return s, err
	}
	s.depth, err = dev.CreateTexture(640, 480)
	if err != nil {
		return s, err
	}
	shader, err := dev.CreatePipeline("vertex")
	if err != nil {
		return s, err
	}
	defer shader.Release()
	s.pipeline, err = dev.CreatePipeline("cube")
	if err != nil {
		return s, err
	}
	return s, nil
}
