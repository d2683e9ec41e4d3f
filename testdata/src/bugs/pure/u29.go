// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"github.com/sugarme/gotch/nn"
	"github.com/sugarme/gotch/ts"
)

// The forward pass over the whole test set keeps its graph, which nothing goes
// back through.
func u29TrainBug(x, y, testX, testY *ts.Tensor, m ts.Module, opt *nn.Optimizer) (loss, accuracy float64) {
	logits := m.Forward(x)
	l := logits.CrossEntropyForLogits(y)
	opt.BackwardStep(l)

	testLogits := m.Forward(testX) // want GM501
	acc := testLogits.AccuracyForLogits(testY)
	loss, accuracy = l.Float64Values()[0], acc.Float64Values()[0]
	for _, t := range []*ts.Tensor{logits, l, testLogits, acc} {
		t.MustDrop()
	}
	return loss, accuracy
}

func u29TrainFixed(x, y, testX, testY *ts.Tensor, m ts.Module, opt *nn.Optimizer) (loss, accuracy float64) {
	logits := m.Forward(x)
	defer logits.MustDrop()
	l := logits.CrossEntropyForLogits(y)
	defer l.MustDrop()
	opt.BackwardStep(l)

	ts.NoGrad(func() {
		testLogits := m.Forward(testX)
		defer testLogits.MustDrop()
		acc := testLogits.AccuracyForLogits(testY)
		defer acc.MustDrop()
		accuracy = acc.Float64Values()[0]
	})
	return l.Float64Values()[0], accuracy
}
