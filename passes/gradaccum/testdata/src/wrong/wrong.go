// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"fmt"

	"example.com/torch"
)

func epoch(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	total := torch.Zeros(1)
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropy(y)
		opt.BackwardStep(loss)
		total = total.Add(loss) // want `total keeps the graph of every loss that is added to it: add its number, or detach it first \(GM502\)`
	}
	fmt.Println(total.Float() / float64(len(xs)))
}

func returned(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) *torch.Tensor {
	total := torch.Zeros(1)
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropy(y)
		opt.BackwardStep(loss)
		total = total.Add(loss) // want `total keeps the graph of every loss`
	}
	return total
}

func turned(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for i := 0; i < len(xs); i++ {
		loss := m.Forward(xs[i]).CrossEntropy(y)
		opt.BackwardStep(loss)
		total = loss.Add(total) // want `total keeps the graph of every loss`
	}
	return total.Float()
}

func inPlace(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		loss := m.Forward(x).CrossEntropy(y)
		opt.BackwardStep(loss)
		total.Add_(loss) // want `total keeps the graph of every loss`
	}
	return total.Float()
}

func metric(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	correct := torch.Zeros(1)
	for _, x := range xs {
		out := m.Forward(x)
		opt.BackwardStep(out.CrossEntropy(y))
		acc := out.Accuracy(y)
		correct = correct.Add(acc) // want `correct keeps the graph of every acc`
	}
	return correct.Float()
}

func validation(m torch.Module, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		total = total.Add(m.ForwardT(x, false).CrossEntropy(y)) // want `total keeps the graph of every term`
	}
	return total.Float()
}

func nested(m torch.Module, opt *torch.Optimizer, epochs int, xs []*torch.Tensor, y *torch.Tensor) {
	total := torch.Zeros(1)
	for range epochs {
		for _, x := range xs {
			loss := m.Forward(x).CrossEntropy(y)
			opt.BackwardStep(loss)
			total = total.Add(loss) // want `total keeps the graph of every loss`
		}
		fmt.Println(total.Float())
	}
}

func captured(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) float64 {
	total := torch.Zeros(1)
	for _, x := range xs {
		func() {
			loss := m.Forward(x).CrossEntropy(y)
			opt.BackwardStep(loss)
			total = total.Add(loss) // want `total keeps the graph of every loss`
		}()
	}
	return total.Float()
}

func neverZeroed(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		loss := m.Forward(x).CrossEntropy(y)
		loss.Backward()
		opt.Step() // want `opt.Step in a loop in which nothing sets the gradients to zero: each step adds to those of all steps before; call ZeroGrad \(GM502\)`
	}
}

func zeroedOnce(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	opt.ZeroGrad()
	for _, x := range xs {
		m.Forward(x).CrossEntropy(y).Backward()
		opt.Step() // want `opt.Step in a loop in which nothing sets the gradients to zero`
	}
}

func step(m torch.Module, opt *torch.Optimizer, x, y *torch.Tensor) float64 {
	loss := m.Forward(x).CrossEntropy(y)
	loss.Backward()
	opt.Step() // want `opt.Step in a loop in which nothing sets the gradients to zero`
	return loss.Float()
}

func train(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for _, x := range xs {
		fmt.Println(step(m, opt, x, y))
	}
}

func accumulate(m torch.Module, opt *torch.Optimizer, n int, xs []*torch.Tensor, y *torch.Tensor) {
	opt.ZeroGrad()
	for i, x := range xs {
		loss := m.Forward(x).CrossEntropy(y)
		loss.Backward()
		if (i+1)%n == 0 {
			opt.Step() // want `opt.Step after gradients of several batches were added up, and nothing divides the loss by their number: the step is that many times too long \(GM502\)`
			opt.ZeroGrad()
		}
	}
}

func accumulateNoZero(m torch.Module, opt *torch.Optimizer, xs []*torch.Tensor, y *torch.Tensor) {
	for i, x := range xs {
		m.Forward(x).CrossEntropy(y).DivScalar(4).Backward()
		if i%4 == 3 {
			opt.Step() // want `opt.Step in a loop in which nothing sets the gradients to zero`
		}
	}
}
