// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package xla stands for a library that compiles a program for each shape.
package xla

// Exec holds the compiled programs of one function.
//
//gpumem:class xlat.exec noun=executor verb=finalized mem=device
//gpumem:resource xlat.exec release=Finalize owned
type Exec struct{ h uintptr }

func NewExec(fn func(x []float32) []float32) *Exec { return nil }

func (e *Exec) SetMaxCache(n int)                        {}
func (e *Exec) Call(x []float32, shape ...int) []float32 { return nil }
func (e *Exec) Finalize()                                {}
