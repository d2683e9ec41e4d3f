// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"fmt"

	"example.com/torch"
)

func accuracy(m torch.Module, x, y *torch.Tensor) float64 {
	logits := m.ForwardT(x, false) // want `m.ForwardT runs outside torch.NoGrad and only Tensor.Float \(line 16\) reads what it gives: the graph is kept for nothing \(GM501\)`
	defer logits.Drop()
	acc := logits.Accuracy(y)
	a := acc.Float()
	acc.Drop()
	return a
}

func chained(m torch.Module, x, y *torch.Tensor) float64 {
	return m.Forward(x).Accuracy(y).Float() // want `m.Forward runs outside torch.NoGrad`
}

// The first forward is for training, the second is not.
func epoch(m torch.Module, opt *torch.Optimizer, x, y, testX, testY *torch.Tensor) {
	loss := m.Forward(x).CrossEntropy(y)
	opt.BackwardStep(loss)

	testLogits := m.Forward(testX) // want `m.Forward runs outside torch.NoGrad`
	acc := testLogits.Accuracy(testY)
	fmt.Printf("loss %v, accuracy %v\n", loss.Float(), acc.Float())
}

func loop(m torch.Module, batches []*torch.Tensor, y *torch.Tensor) float64 {
	var sum float64
	for _, b := range batches {
		out := m.ForwardT(b, false) // want `m.ForwardT runs outside`
		sum += out.Accuracy(y).Float()
		out.Drop()
	}
	return sum / float64(len(batches))
}

type net struct{ a, b *torch.Linear }

func (n *net) Forward(x *torch.Tensor) *torch.Tensor {
	h := n.a.Forward(x)
	defer h.Drop()
	return n.b.Forward(h)
}

func (n *net) ForwardT(x *torch.Tensor, train bool) *torch.Tensor { return n.Forward(x) }

func ofTheUser(n *net, x, y *torch.Tensor) float64 {
	return n.Forward(x).Accuracy(y).Float() // want `n.Forward runs outside`
}

func ofTheUserT(n *net, x, y *torch.Tensor) float64 {
	return n.ForwardT(x, false).Accuracy(y).Float() // want `n.ForwardT runs outside`
}

func score(t, y *torch.Tensor) float64 { return t.Accuracy(y).Float() }

func helper(m torch.Module, x, y *torch.Tensor) float64 {
	return score(m.Forward(x), y) // want `m.Forward runs outside`
}

func collected(m torch.Module, xs []*torch.Tensor) {
	var outs []*torch.Tensor
	for _, x := range xs {
		outs = append(outs, m.ForwardT(x, false)) // want `m.ForwardT runs outside`
	}
	fmt.Println(torch.Stack(outs).Float())
}

func evalCaptured(m torch.Module, x *torch.Tensor) float64 {
	var out *torch.Tensor
	func() {
		out = m.ForwardT(x, false) // want `m.ForwardT runs outside`
	}()
	return out.Float()
}

func inferTwoLayers(a, b *torch.Linear, x *torch.Tensor) float64 {
	h := a.Forward(x) // want `a.Forward runs outside`
	return b.Forward(h).Float()
}

// The scope ends before the forward.
func testTooShort(m torch.Module, x, y *torch.Tensor) float64 {
	torch.NoGrad(func() { x.Add_(y) })
	return m.ForwardT(x, false).Float() // want `m.ForwardT runs outside`
}

func validSwitchedOn(m torch.Module, x *torch.Tensor) float64 {
	torch.SetGrad(true)
	return m.ForwardT(x, false).Float() // want `m.ForwardT runs outside`
}

// No graph is recorded, so that there are no gradients.
func backwardInside(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) {
	torch.NoGrad(func() {
		loss := m.Forward(x).CrossEntropy(y)
		loss.Backward() // want `loss.Backward runs inside a scope without gradients, in which m.Forward \(line 104\) recorded no graph: it fails, or changes nothing; move both out \(GM501\)`
		opt.Step()
	})
}

func stepInside(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) {
	g := torch.NewGuard()
	defer g.Drop()
	opt.BackwardStep(m.Forward(x).CrossEntropy(y)) // want `opt.BackwardStep runs inside a scope without gradients`
}

// Model is called in scopes and outside.
type Model struct{ m torch.Module }

func (m *Model) ForwardT(x *torch.Tensor, train bool) *torch.Tensor { return m.m.ForwardT(x, train) }

func EvalOutside(m *Model, x, y *torch.Tensor) float64 {
	return m.ForwardT(x, false).Accuracy(y).Float() // want `m.ForwardT runs outside`
}

func EvalInside(m *Model, x, y *torch.Tensor) (a float64) {
	torch.NoGrad(func() { a = m.ForwardT(x, false).Accuracy(y).Float() })
	return a
}
