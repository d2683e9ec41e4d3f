// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

// configuredInput is a part of a configuration that is read once.
type configuredInput struct {
	Tensor string
	Size   int64
}

type inputConfig struct {
	Input  configuredInput
	Prompt string
	Sizes  []int64
}

// configuredBuffers has one buffer for each name that the configuration speaks
// of, however often it is asked.
type configuredBuffers struct {
	byPrompt map[string]*ort.Tensor[float32]
	bySize   map[int64]*ort.Tensor[float32]
}

func (b *configuredBuffers) Get(cfg *inputConfig) (*ort.Tensor[float32], error) {
	if t, ok := b.byPrompt[cfg.Prompt]; ok {
		return t, nil
	}
	t, err := ort.NewEmptyTensor[float32](ort.NewShape(cfg.Input.Size))
	if err != nil {
		return nil, err
	}
	b.byPrompt[cfg.Prompt] = t
	return t, nil
}

// WarmUp makes those of the configured sizes.
func (b *configuredBuffers) WarmUp(opts inputConfig) error {
	for _, n := range opts.Sizes {
		if _, ok := b.bySize[n]; ok {
			continue
		}
		t, err := ort.NewEmptyTensor[float32](ort.NewShape(n))
		if err != nil {
			return err
		}
		b.bySize[n] = t
	}
	return nil
}

func (b *configuredBuffers) Close() {
	for _, t := range b.byPrompt {
		t.Destroy()
	}
	for _, t := range b.bySize {
		t.Destroy()
	}
	b.byPrompt, b.bySize = nil, nil
}
