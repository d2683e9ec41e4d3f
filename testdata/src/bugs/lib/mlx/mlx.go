// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package mlx stands for a reference-counted array library.
package mlx

// Array is an array on the device.
//
//gpumem:class mlxt.array noun=array verb=freed mem=device
//gpumem:resource mlxt.array release=Free owned
type Array struct{ h uintptr }

func (a *Array) Free()                      {}
func (a *Array) Len() int                   { return 0 }
func Eval(arrays ...*Array)                 {}
func FromValues(v []int32) *Array           { return nil }
func (a *Array) ExpandDims(axis int) *Array { return nil }

// Model runs forward passes.
type Model struct{ layers int }

func (m *Model) Forward(x *Array) *Array { return nil }

// Work is a region in which buffers are cached on the device.
//
//gpumem:class mlxt.work noun="buffer cache" verb=cleared mem=device
//gpumem:resource mlxt.work release=Clear owned
type Work struct{ h uintptr }

func BeginWork() *Work     { return nil }
func (w *Work) Clear()     {}
func (w *Work) Steps() int { return 0 }
