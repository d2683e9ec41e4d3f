// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"fmt"

	"example.com/torch"
)

func numbers(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	var total float64
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropy(y)
		opt.BackwardStep(loss)
		total += loss.Float()
	}
	return total
}

func detached(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropy(y)
		opt.BackwardStep(loss)
		total = total.Add(loss.Detach())
	}
	return total.Float()
}

func noGrad(m torch.Module, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	torch.NoGrad(func() {
		for _, x := range xs {
			total = total.Add(m.ForwardT(x, false).CrossEntropy(y))
		}
	})
	return total.Float()
}

// The sum is the loss.
func sumOfLosses(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		total = total.Add(m.Forward(x).CrossEntropy(y))
	}
	opt.BackwardStep(total)
	return total.Float()
}

func sumDivided(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	total := torch.Zeros(1)
	for _, x := range xs {
		total = total.Add(m.Forward(x).CrossEntropy(y))
	}
	loss := total.DivScalar(float64(len(xs)))
	loss.Backward()
	fmt.Println(total.Float())
	opt.Step()
}

// The caller goes back through it.
func lossOf(m torch.Module, xs []*torch.Tensor, y *torch.Tensor) *torch.Tensor {
	total := torch.Zeros(1)
	for _, x := range xs {
		total = total.Add(m.Forward(x).CrossEntropy(y))
	}
	return total
}

// Two losses of one step.
func twoTerms(a, b torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	var sum float64
	for _, x := range xs {
		loss := a.Forward(x).CrossEntropy(y)
		loss = loss.Add(b.Forward(x).CrossEntropy(y))
		opt.BackwardStep(loss)
		sum += loss.Float()
	}
	return sum
}

func zeroed(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		opt.ZeroGrad()
		m.Forward(x).CrossEntropy(y).Backward()
		opt.Step()
	}
}

func zeroedAfter(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		m.Forward(x).CrossEntropy(y).Backward()
		opt.Step()
		opt.ZeroGrad()
	}
}

func clear(opt *torch.Optimizer) { opt.ZeroGrad() }

func zeroedInHelper(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		clear(opt)
		m.Forward(x).CrossEntropy(y).Backward()
		opt.Step()
	}
}

func step(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) {
	m.Forward(x).CrossEntropy(y).Backward()
	opt.Step()
}

func zeroedByCaller(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		opt.ZeroGrad()
		step(m, opt, x, y)
	}
}

type trainer struct{ opt *torch.Optimizer }

func zeroedSomewhere(m torch.Module, t *trainer, before func(*trainer), xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		before(t)
		m.Forward(x).CrossEntropy(y).Backward()
		t.opt.Step()
	}
}

// The gradients come from elsewhere.
func apply(opt *torch.Optimizer, batches int, receive func()) {
	for range batches {
		receive()
		opt.Step()
	}
}

func accumulate(m torch.Module, opt *torch.Optimizer, n int, xs []*torch.Tensor, y *torch.Tensor) {
	opt.ZeroGrad()
	for i, x := range xs {
		loss := m.Forward(x).CrossEntropy(y).DivScalar(float64(n))
		loss.Backward()
		if (i+1)%n == 0 {
			opt.Step()
			opt.ZeroGrad()
		}
	}
}

func scaledInHelper(m torch.Module, opt *torch.Optimizer, n int, xs []*torch.Tensor, y *torch.Tensor) {
	for i, x := range xs {
		loss := scale(m.Forward(x).CrossEntropy(y), n)
		loss.Backward()
		if (i+1)%n == 0 {
			opt.Step()
			opt.ZeroGrad()
		}
	}
}

func scale(t *torch.Tensor, n int) *torch.Tensor { return t.DivScalar(float64(n)) }

func once(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) {
	m.Forward(x).CrossEntropy(y).Backward()
	opt.Step()
}

// A state, not a sum.
func recurrent(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	h := torch.Zeros(1)
	for _, x := range xs {
		h = m.Forward(x.Add(h))
	}
	loss := h.CrossEntropy(y)
	opt.BackwardStep(loss)
	return loss.Float()
}
