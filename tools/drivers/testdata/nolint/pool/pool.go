// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package pool lends blocks that must go back.
package pool

//gpumem:class test.block noun=block verb=returned mem=device

// A Block is on loan.
type Block struct{ n int }

// Get lends a block.
//
//gpumem:acquire test.block result0
//gpumem:success always
func Get() *Block { return &Block{} }

// Put returns it.
//
//gpumem:release test.block recv
func (b *Block) Put() {}

// Len only looks at it.
//
//gpumem:use
func (b *Block) Len() int { return b.n }
