// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package torch is a stand-in for a library that records gradients.
package torch

// A Tensor may carry a graph.
//
//gpumem:class torch.tensor noun=tensor verb=dropped mem=device backstop=late again=ok
//gpumem:resource torch.tensor release=Drop
type Tensor struct{ p uintptr }

//gpumem:acquire result0
func Zeros(n int) *Tensor { return &Tensor{} }

//gpumem:release recv
func (t *Tensor) Drop() { t.p = 0 }

//gpumem:acquire result0
func (t *Tensor) Add(o *Tensor) *Tensor { return &Tensor{} }

//gpumem:use
func (t *Tensor) Add_(o *Tensor) {}

//gpumem:acquire result0
func (t *Tensor) DivScalar(x float64) *Tensor { return &Tensor{} }

//gpumem:acquire result0
func (t *Tensor) Accuracy(y *Tensor) *Tensor { return &Tensor{} }

//gpumem:acquire result0
func (t *Tensor) CrossEntropy(y *Tensor) *Tensor { return &Tensor{} }

//gpumem:acquire result0
//gpumem:detach result0
func (t *Tensor) Detach() *Tensor { return &Tensor{} }

//gpumem:use
func (t *Tensor) Float() float64 { return 0 }

//gpumem:acquire result0
func Stack(list []*Tensor) *Tensor { return &Tensor{} }

//gpumem:backward recv
func (t *Tensor) Backward() {}

// A Module has weights.
type Module interface {
	//gpumem:acquire result0
	//gpumem:grad result0
	Forward(x *Tensor) *Tensor

	//gpumem:acquire result0
	//gpumem:grad result0
	ForwardT(x *Tensor, train bool) *Tensor
}

// Linear is a layer.
type Linear struct{}

//gpumem:acquire result0
//gpumem:grad result0
func (l *Linear) Forward(x *Tensor) *Tensor { return &Tensor{} }

// NoGrad runs fn without recording.
//
//gpumem:nograd
func NoGrad(fn func()) { fn() }

//gpumem:nograd
func NewGuard() *Guard { return &Guard{} }

// A Guard switches recording off until it is dropped.
type Guard struct{}

func (g *Guard) Drop() {}

//gpumem:nograd when=!on
func SetGrad(on bool) {}

// An Optimizer changes the weights.
type Optimizer struct{}

//gpumem:zerograd
//gpumem:backward loss
//gpumem:step
func (o *Optimizer) BackwardStep(loss *Tensor) {}

//gpumem:zerograd
func (o *Optimizer) ZeroGrad() {}

//gpumem:step
func (o *Optimizer) Step() {}
