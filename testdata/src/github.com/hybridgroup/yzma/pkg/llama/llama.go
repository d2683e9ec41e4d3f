// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package llama is a signature-only stand-in for yzma's llama.cpp binding:
// handles are integers, and acquire and release are free functions.
package llama

type (
	Model   uintptr
	Context uintptr
	Sampler uintptr
	Vocab   uintptr
	Token   int32
)

// Batch is a set of tokens to decode.
type Batch struct {
	NTokens int32
	Token   *Token
}

type (
	ModelParams        struct{ NGpuLayers int32 }
	ContextParams      struct{ NCtx uint32 }
	SamplerChainParams struct{ NoPerf uint8 }
)

func Load(path string) error                                                        { return nil }
func Init()                                                                         {}
func Close()                                                                        {}
func ModelDefaultParams() ModelParams                                               { return ModelParams{} }
func ContextDefaultParams() ContextParams                                           { return ContextParams{} }
func SamplerChainDefaultParams() SamplerChainParams                                 { return SamplerChainParams{} }
func ModelLoadFromFile(pathModel string, params ModelParams) (Model, error)         { return 0, nil }
func ModelFree(model Model) error                                                   { return nil }
func ModelGetVocab(model Model) Vocab                                               { return 0 }
func InitFromModel(model Model, params ContextParams) (Context, error)              { return 0, nil }
func Free(ctx Context) error                                                        { return nil }
func SamplerChainInit(params SamplerChainParams) Sampler                            { return 0 }
func SamplerInitGreedy() Sampler                                                    { return 0 }
func SamplerChainAdd(chain Sampler, smpl Sampler)                                   {}
func SamplerFree(smpl Sampler)                                                      {}
func BatchInit(nTokens int32, embd int32, nSeqMax int32) Batch                      { return Batch{} }
func BatchGetOne(tokens []Token) Batch                                              { return Batch{} }
func BatchFree(batch Batch) error                                                   { return nil }
func Decode(ctx Context, batch Batch) (int32, error)                                { return 0, nil }
func Tokenize(vocab Vocab, text string, addSpecial bool, parseSpecial bool) []Token { return nil }
