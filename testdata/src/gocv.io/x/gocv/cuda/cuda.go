// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package cuda is a signature-only stand-in for gocv's CUDA package: device
// memory held in struct values.
package cuda

import (
	"unsafe"

	"gocv.io/x/gocv"
)

type GpuMat struct{ p unsafe.Pointer }

func NewGpuMat() GpuMat                                            { return GpuMat{} }
func NewGpuMatFromMat(mat gocv.Mat) GpuMat                         { return GpuMat{} }
func NewGpuMatWithSize(rows int, cols int, mt gocv.MatType) GpuMat { return GpuMat{} }
func (g *GpuMat) Close() error                                     { return nil }
func (g *GpuMat) Empty() bool                                      { return false }
func (g *GpuMat) Upload(data gocv.Mat)                             {}
func (g *GpuMat) Download(dst *gocv.Mat)                           {}
func (g *GpuMat) Reshape(cn int, rows int) GpuMat                  { return GpuMat{} }

type Stream struct{ p unsafe.Pointer }

func NewStream() Stream              { return Stream{} }
func (s *Stream) Close() error       { return nil }
func (s *Stream) WaitForCompletion() {}

func Abs(src GpuMat, dst *GpuMat)                                        {}
func Threshold(src GpuMat, dst *GpuMat, thresh, maxval float64, typ int) {}
