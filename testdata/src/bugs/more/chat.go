// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package more

import (
	"fmt"

	"github.com/hybridgroup/yzma/pkg/llama"
)

type bot struct {
	model llama.Model
	ctx   llama.Context
	smpl  llama.Sampler
}

// newBot loses the model where the context fails.
func newBot(path string) (*bot, error) {
	b := &bot{}
	var err error
	b.model, err = llama.ModelLoadFromFile(path, llama.ModelDefaultParams())
	if err != nil {
		return nil, err
	}
	b.ctx, err = llama.InitFromModel(b.model, llama.ContextDefaultParams())
	if err != nil {
		return nil, fmt.Errorf("context: %w", err) // want GM101
	}
	b.smpl = llama.SamplerInitGreedy()
	return b, nil
}

func (b *bot) close() {
	llama.SamplerFree(b.smpl)
	llama.Free(b.ctx)
	llama.ModelFree(b.model)
}

// answer takes a sampler per question.
func answer(b *bot, questions []string) error {
	for _, q := range questions {
		chain := llama.SamplerChainInit(llama.SamplerChainDefaultParams()) // want GM102
		llama.SamplerChainAdd(chain, llama.SamplerInitGreedy())
		tokens := llama.Tokenize(llama.ModelGetVocab(b.model), q, true, true)
		if _, err := llama.Decode(b.ctx, llama.BatchGetOne(tokens)); err != nil {
			return err
		}
	}
	return nil
}

// embed frees its batch only on the way through.
func embed(b *bot, n int32) error {
	batch := llama.BatchInit(n, 0, 1)
	if _, err := llama.Decode(b.ctx, batch); err != nil {
		return err // want GM101
	}
	return llama.BatchFree(batch)
}

func ask(path, q string) error {
	b, err := newBot(path)
	if err != nil {
		return err
	}
	defer b.close()
	if err := answer(b, []string{q}); err != nil {
		return err
	}
	return embed(b, 1)
}

// compare opens two and closes one.
func compare(a, b string) error {
	first, err := newBot(a)
	if err != nil {
		return err
	}
	defer first.close()
	second, err := newBot(b) // want GM102
	if err != nil {
		return err
	}
	return answer(second, nil)
}
