// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"fmt"
	"testing"

	"example.com/torch"
)

func accuracy(m torch.Module, x, y *torch.Tensor) (a float64) {
	torch.NoGrad(func() {
		logits := m.ForwardT(x, false)
		defer logits.Drop()
		a = logits.Accuracy(y).Float()
	})
	return a
}

func guard(m torch.Module, x, y *torch.Tensor) float64 {
	g := torch.NewGuard()
	defer g.Drop()
	return m.ForwardT(x, false).Accuracy(y).Float()
}

func switchedOff(m torch.Module, x, y *torch.Tensor) float64 {
	torch.SetGrad(false)
	defer torch.SetGrad(true)
	return m.ForwardT(x, false).Accuracy(y).Float()
}

func training(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) float64 {
	loss := m.ForwardT(x, true).CrossEntropy(y)
	opt.BackwardStep(loss)
	return loss.Float()
}

func backward(m torch.Module, x, y *torch.Tensor) float64 {
	loss := m.Forward(x).CrossEntropy(y)
	loss.Backward()
	return loss.Float()
}

// Training accuracy of the step that goes backwards: the same graph.
func both(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) float64 {
	logits := m.Forward(x)
	opt.BackwardStep(logits.CrossEntropy(y))
	return logits.Accuracy(y).Float()
}

func sumOfLosses(m torch.Module, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		total = total.Add(m.Forward(x).CrossEntropy(y))
	}
	total.Backward()
	return total.Float()
}

// The caller may go back through it.
func predict(m torch.Module, x *torch.Tensor) *torch.Tensor { return m.ForwardT(x, false) }

func decided(m torch.Module, x *torch.Tensor, train bool) float64 {
	return m.ForwardT(x, train).Float()
}

type net struct{ a, b *torch.Linear }

func (n *net) Forward(x *torch.Tensor) *torch.Tensor {
	h := n.a.Forward(x)
	defer h.Drop()
	return n.b.Forward(h)
}

func ofTheUser(n *net, opt *torch.Optimizer, x, y *torch.Tensor) float64 {
	loss := n.Forward(x).CrossEntropy(y)
	opt.BackwardStep(loss)
	return loss.Float()
}

func lossOf(m torch.Module, x, y *torch.Tensor) *torch.Tensor { return m.Forward(x).CrossEntropy(y) }

func helper(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) {
	loss := lossOf(m, x, y)
	fmt.Println(loss.Float())
	opt.BackwardStep(loss)
}

func stepWith(opt *torch.Optimizer, loss *torch.Tensor) float64 {
	opt.BackwardStep(loss)
	return loss.Float()
}

func throughHelper(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) float64 {
	return stepWith(opt, m.Forward(x).CrossEntropy(y))
}

// Called inside scopes only.
func evaluate(m torch.Module, x, y *torch.Tensor) float64 {
	return m.ForwardT(x, false).Accuracy(y).Float()
}

func validate(m torch.Module, x, y *torch.Tensor) (a float64) {
	torch.NoGrad(func() { a = evaluate(m, x, y) })
	return a
}

// Somebody else gets it.
func callback(m torch.Module, x *torch.Tensor, done func(*torch.Tensor) float64) float64 {
	return done(m.ForwardT(x, false))
}

// One image: possible, and not shown by default.
func answer(m torch.Module, x *torch.Tensor) float64 {
	out := m.ForwardT(x, false)
	defer out.Drop()
	return out.Float()
}

type state struct{ last *torch.Tensor }

func (s *state) keep(m torch.Module, x *torch.Tensor) float64 {
	s.last = m.ForwardT(x, false)
	return s.last.Float()
}

func send(m torch.Module, x *torch.Tensor, out chan<- *torch.Tensor) { out <- m.ForwardT(x, false) }

func warmUp(m torch.Module, x *torch.Tensor) { m.ForwardT(x, false).Drop() }

// The weights are changed by hand where no graph shall see it.
func byHand(w, x, y *torch.Tensor, m torch.Module) {
	loss := m.Forward(x).CrossEntropy(y)
	loss.Backward()
	torch.NoGrad(func() { w.Add_(x) })
	fmt.Println(loss.Float())
}

// Backward in the scope of a graph that was recorded outside.
func late(m torch.Module, x, y *torch.Tensor) {
	loss := m.Forward(x).CrossEntropy(y)
	torch.NoGrad(func() { loss.Backward() })
}

func TestForward(t *testing.T) {
	var m torch.Module
	if got := m.ForwardT(torch.Zeros(1), false).Float(); got != 0 {
		t.Errorf("got %v", got)
	}
}
