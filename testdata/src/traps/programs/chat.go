// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/hybridgroup/yzma/pkg/llama"
)

// Chat is a model with its context and sampler.
type Chat struct {
	model   llama.Model
	ctx     llama.Context
	sampler llama.Sampler
	vocab   llama.Vocab
}

// NewChat loads everything, or frees what it had.
func NewChat(path string) (_ *Chat, err error) {
	model, err := llama.ModelLoadFromFile(path, llama.ModelDefaultParams())
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	c := &Chat{model: model, vocab: llama.ModelGetVocab(model)}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if c.ctx, err = llama.InitFromModel(model, llama.ContextDefaultParams()); err != nil {
		return nil, err
	}
	c.sampler = llama.SamplerChainInit(llama.SamplerChainDefaultParams())
	llama.SamplerChainAdd(c.sampler, llama.SamplerInitGreedy())
	return c, nil
}

// Close frees in reverse order.
func (c *Chat) Close() error {
	if c.sampler != 0 {
		llama.SamplerFree(c.sampler)
		c.sampler = 0
	}
	var errs []error
	if c.ctx != 0 {
		errs = append(errs, llama.Free(c.ctx))
		c.ctx = 0
	}
	if c.model != 0 {
		errs = append(errs, llama.ModelFree(c.model))
		c.model = 0
	}
	return errors.Join(errs...)
}

// Ask decodes one prompt.
func (c *Chat) Ask(prompt string) error {
	tokens := llama.Tokenize(c.vocab, prompt, true, true)
	batch := llama.BatchGetOne(tokens)
	for i := 0; i < 32; i++ {
		if _, err := llama.Decode(c.ctx, batch); err != nil {
			return err
		}
		batch = llama.BatchGetOne(tokens[:1])
	}
	return nil
}

// Serve answers line by line.
func Serve(path string, in io.Reader) error {
	if err := llama.Load("lib"); err != nil {
		return err
	}
	llama.Init()
	defer llama.Close()
	c, err := NewChat(path)
	if err != nil {
		return err
	}
	defer c.Close()
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		if err := c.Ask(sc.Text()); err != nil {
			return fmt.Errorf("ask %q: %w", sc.Text(), err)
		}
	}
	return sc.Err()
}

// Perplexity uses a batch of its own.
func Perplexity(ctx llama.Context, n int32) (int32, error) {
	batch := llama.BatchInit(n, 0, 1)
	defer llama.BatchFree(batch)
	return llama.Decode(ctx, batch)
}
