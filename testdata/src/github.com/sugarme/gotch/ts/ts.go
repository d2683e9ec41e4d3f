// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package ts is a signature-only stand-in for the tensor package of the
// libtorch binding of the same import path, with its `del bool` convention.
package ts

import (
	"unsafe"

	"github.com/sugarme/gotch"
)

type Tensor struct {
	name    string
	ctensor unsafe.Pointer
}

func NewTensor(nameOpt ...string) *Tensor                          { return nil }
func OfSlice(data interface{}, nameOpt ...string) (*Tensor, error) { return nil, nil }
func MustOfSlice(data interface{}, nameOpt ...string) *Tensor      { return nil }
func Zeros(size []int64, optionsKind gotch.DType, optionsDevice gotch.Device) (*Tensor, error) {
	return nil, nil
}
func MustZeros(size []int64, optionsKind gotch.DType, optionsDevice gotch.Device) *Tensor {
	return nil
}
func MustRand(size []int64, optionsKind gotch.DType, optionsDevice gotch.Device) *Tensor {
	return nil
}
func MustStack(tensors []*Tensor, dim int64) *Tensor { return nil }
func Load(path string) (*Tensor, error)              { return nil, nil }

func (ts *Tensor) Drop() error                                                { return nil }
func (ts *Tensor) MustDrop()                                                  {}
func (ts *Tensor) MustSize() []int64                                          { return nil }
func (ts *Tensor) Float64Values(delOpt ...bool) []float64                     { return nil }
func (ts *Tensor) MustShallowClone() *Tensor                                  { return nil }
func (ts *Tensor) ShallowClone() (*Tensor, error)                             { return nil, nil }
func (ts *Tensor) View(size []int64, del bool) (retVal *Tensor, err error)    { return nil, nil }
func (ts *Tensor) MustView(size []int64, del bool) (retVal *Tensor)           { return nil }
func (ts *Tensor) MustPermute(dims []int64, del bool) (retVal *Tensor)        { return nil }
func (ts *Tensor) Matmul(other *Tensor, del bool) (retVal *Tensor, err error) { return nil, nil }
func (ts *Tensor) MustMatmul(other *Tensor, del bool) (retVal *Tensor)        { return nil }
func (ts *Tensor) MustAdd(other *Tensor, del bool) (retVal *Tensor)           { return nil }
func (ts *Tensor) MustMul(other *Tensor, del bool) (retVal *Tensor)           { return nil }
func (ts *Tensor) MustSub(other *Tensor, del bool) (retVal *Tensor)           { return nil }
func (ts *Tensor) MustNarrow(dim int64, start int64, length int64, del bool) (retVal *Tensor) {
	return nil
}
func (ts *Tensor) MustNarrowCopy(dim int64, start int64, length int64, del bool) (retVal *Tensor) {
	return nil
}
func (ts *Tensor) MustSelect(dim int64, index int64, del bool) (retVal *Tensor) { return nil }
func (ts *Tensor) MustUnsqueeze(dim int64, del bool) (retVal *Tensor)           { return nil }
func (ts *Tensor) MustTo(device gotch.Device, del bool) (retVal *Tensor)        { return nil }
func (ts *Tensor) MustSum(dtype gotch.DType, del bool) (retVal *Tensor)         { return nil }
func (ts *Tensor) MustBackward()                                                {}
func (ts *Tensor) MustZero_()                                                   {}
func (ts *Tensor) MustAdd_(other *Tensor)                                       {}
func (ts *Tensor) MustDetach(del bool) (retVal *Tensor)                         { return nil }
func (ts *Tensor) CrossEntropyForLogits(targets *Tensor) (retVal *Tensor) {
	return nil
}
func (ts *Tensor) AccuracyForLogits(targets *Tensor) (retVal *Tensor) {
	return nil
}
func (ts *Tensor) MustCrossEntropyForLogits(targets *Tensor) (retVal *Tensor) {
	return nil
}

// None is the library's empty tensor, which nobody drops.
var None = NewTensor()

func NoGrad(fn func()) {}

// NoGradGuard is NoGrad as an object: gradients are off until it is dropped.
type NoGradGuard struct{ enabled bool }

func NewNoGradGuard() *NoGradGuard { return nil }
func (ngg *NoGradGuard) Drop()     {}

// CleanUp runs the garbage collector.
func CleanUp(sleepTimeOpt ...int) {}

// Module is a layer that is the same in training and in use.
type Module interface {
	Forward(xs *Tensor) *Tensor
}

// ModuleT is a layer.
type ModuleT interface {
	ForwardT(xs *Tensor, train bool) *Tensor
}

type Iter2Item struct{ Data, Label *Tensor }

type Iter2 struct{ xs, ys *Tensor }

func NewIter2(xs, ys *Tensor, batchSize int64) (*Iter2, error) { return nil, nil }
func MustNewIter2(xs, ys *Tensor, batchSize int64) *Iter2      { return nil }
func (it *Iter2) Next() (item Iter2Item, ok bool)              { return Iter2Item{}, false }
func (it *Iter2) Drop()                                        {}
