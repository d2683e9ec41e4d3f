// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package cuvs stands for a vector search library.
package cuvs

// Resource is a CUDA stream with its library handles.
//
//gpumem:class cuvst.resource noun=resource verb=closed mem=device
//gpumem:resource cuvst.resource release=Close owned value
type Resource struct{ r uintptr }

func NewResource() (Resource, error)      { return Resource{}, nil }
func (r Resource) Close() error           { return nil }
func (r Resource) Sync() error            { return nil }
func Dealloc(r Resource, p uintptr) error { return nil }

// Batch is a set of transfers, known by number.
//
//gpumem:class cuvst.batch noun="transfer batch" verb=freed mem=handle
type Engine struct{ p uintptr }

//gpumem:acquire cuvst.batch result0
func (e *Engine) AllocateBatch(size int) (uint64, error) { return 0, nil }

//gpumem:release cuvst.batch id
func (e *Engine) FreeBatch(id uint64) error { return nil }

//gpumem:use
func (e *Engine) Submit(id uint64, data []byte) error { return nil }

//gpumem:use
func (e *Engine) Status(id uint64) (int, error) { return 0, nil }
