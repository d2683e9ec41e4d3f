// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package genai stands for a generative runtime with native images.
package genai

// Images are decoded on the device.
//
//gpumem:class genait.images noun=images verb=destroyed mem=device
//gpumem:resource genait.images release=Destroy owned
type Images struct{ p uintptr }

func LoadImages(paths []string) (*Images, error) { return nil, nil }
func (i *Images) Destroy()                       {}
func (i *Images) Len() int                       { return 0 }

// Embedder holds an inference session.
//
//gpumem:class genait.embedder noun=embedder verb=closed mem=device
//gpumem:resource genait.embedder release=Close owned
type Embedder struct{ p uintptr }

func NewEmbedder() (*Embedder, error)                 { return nil, nil }
func (e *Embedder) Close() error                      { return nil }
func (e *Embedder) Embed(s string) ([]float32, error) { return nil, nil }
