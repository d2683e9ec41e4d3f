// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gotch is a signature-only stand-in for the root package of the
// libtorch binding of the same import path.
package gotch

type DType struct{ name string }

var (
	Float  = DType{}
	Double = DType{}
	Int64  = DType{}
)

type Device struct {
	Name  string
	Value int
}

var CPU = Device{Name: "CPU"}

func NewCuda(v int) Device { return Device{} }
