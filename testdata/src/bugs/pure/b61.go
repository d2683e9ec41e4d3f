// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/wgpu"

type b61EncoderBug struct{ list *wgpu.CommandList }

func b61NewBug(dev *wgpu.Device) (*b61EncoderBug, error) {
	list, err := dev.CreateCommandList()
	if err != nil {
		return nil, err
	}
	return &b61EncoderBug{list: list}, nil
}

// Reset releases, Destroy only forgets.
func (e *b61EncoderBug) Reset(dev *wgpu.Device) error {
	list, err := dev.CreateCommandList()
	if err != nil {
		return err
	}
	if e.list != nil {
		e.list.Release()
	}
	e.list = list
	return nil
}

func (e *b61EncoderBug) Destroy() {
	e.list = nil // want GM104
}

type b61EncoderFixed struct{ list *wgpu.CommandList }

func b61NewFixed(dev *wgpu.Device) (*b61EncoderFixed, error) {
	list, err := dev.CreateCommandList()
	if err != nil {
		return nil, err
	}
	return &b61EncoderFixed{list: list}, nil
}

func (e *b61EncoderFixed) Reset(dev *wgpu.Device) error {
	list, err := dev.CreateCommandList()
	if err != nil {
		return err
	}
	if e.list != nil {
		e.list.Release()
	}
	e.list = list
	return nil
}

func (e *b61EncoderFixed) Destroy() {
	if e.list != nil {
		e.list.Release()
		e.list = nil
	}
}
