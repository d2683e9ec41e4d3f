// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package dev

// A Mat has views that share its storage.
//
//gpumem:class dev.mat noun="matrix" verb=closed mem=device again=crash
//gpumem:resource dev.mat release=Close owned
type Mat struct{ h uint64 }

// NewMat makes one.
func NewMat(rows, cols int) *Mat { return &Mat{} }

// Close releases it.
//
//gpumem:release dev.mat recv
func (m *Mat) Close() { m.h = 0 }

// Clone copies it.
func (m *Mat) Clone() *Mat { return &Mat{} }

// Row is a view of one row.
//
//gpumem:view dev.mat result0 of=recv owned
func (m *Mat) Row(i int) *Mat { return &Mat{} }

// Reshape is a view of all of it.
//
//gpumem:view dev.mat result0 of=recv owned
func (m *Mat) Reshape(rows int) *Mat { return &Mat{} }

// Sum uses it.
//
//gpumem:use
func (m *Mat) Sum() float64 { return 0 }
