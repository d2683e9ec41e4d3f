// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b57RendererBug struct {
	list *wgpu.CommandList
	text *wgpu.Pipeline
}

// The text pipeline is made beside the command list, and Close knows only of
// the latter.
func b57NewBug(dev *wgpu.Device) (*b57RendererBug, error) {
	list, err := dev.CreateCommandList()
	if err != nil {
		return nil, err
	}
	text, err := dev.CreatePipeline("text") // want GM102
	if err != nil {
		list.Release()
		return nil, err
	}
	return &b57RendererBug{list: list, text: text}, nil
}

func (r *b57RendererBug) Close() {
	if r.list != nil {
		r.list.Release()
		r.list = nil
	}
}

type b57RendererFixed struct {
	list *wgpu.CommandList
	text *wgpu.Pipeline
}

func b57NewFixed(dev *wgpu.Device) (*b57RendererFixed, error) {
	list, err := dev.CreateCommandList()
	if err != nil {
		return nil, err
	}
	text, err := dev.CreatePipeline("text")
	if err != nil {
		list.Release()
		return nil, err
	}
	return &b57RendererFixed{list: list, text: text}, nil
}

func (r *b57RendererFixed) Close() {
	if r.text != nil {
		r.text.Release()
		r.text = nil
	}
	if r.list != nil {
		r.list.Release()
		r.list = nil
	}
}
