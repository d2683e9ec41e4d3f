// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package mmap stands for mapped memory that GPU processes share.
package mmap

import "unsafe"

// Region is a mapping.
//
//gpumem:class mmapt.region noun=mapping verb=unmapped mem=host
//gpumem:resource mmapt.region release=Unmap owned
type Region struct{ b []byte }

func Map(path string) (*Region, error) { return &Region{}, nil }

func (r *Region) Unmap() error { return nil }

// Head is where the mapping begins.
//
//gpumem:view result0 of=recv
func (r *Region) Head() unsafe.Pointer { return nil }
