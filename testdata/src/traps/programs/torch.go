// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"fmt"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/nn"
	"github.com/sugarme/gotch/ts"
)

// Train runs epochs over a data set.
func Train(xs, ys *ts.Tensor, net ts.ModuleT, opt *nn.Optimizer, epochs int) error {
	for epoch := 0; epoch < epochs; epoch++ {
		it, err := ts.NewIter2(xs, ys, 64)
		if err != nil {
			return err
		}
		var sum float64
		for {
			item, ok := it.Next()
			if !ok {
				it.Drop()
				break
			}
			logits := net.ForwardT(item.Data, true)
			loss := logits.MustCrossEntropyForLogits(item.Label)
			if err := opt.BackwardStep(loss); err != nil {
				loss.MustDrop()
				logits.MustDrop()
				item.Data.MustDrop()
				item.Label.MustDrop()
				it.Drop()
				return err
			}
			sum += loss.Float64Values()[0]
			loss.MustDrop()
			logits.MustDrop()
			item.Data.MustDrop()
			item.Label.MustDrop()
		}
		fmt.Println(epoch, sum)
	}
	return nil
}

// Predict chains operations that consume their receivers.
func Predict(path string, net ts.ModuleT, dev gotch.Device) ([]float64, error) {
	img, err := ts.Load(path)
	if err != nil {
		return nil, err
	}
	in := img.MustUnsqueeze(0, true).MustTo(dev, true)
	var out *ts.Tensor
	ts.NoGrad(func() {
		out = net.ForwardT(in, false)
	})
	in.MustDrop()
	values := out.Float64Values(true)
	return values, nil
}

// Attention drops each temporary where it is last used.
func Attention(q, k, v *ts.Tensor) (*ts.Tensor, error) {
	kt := k.MustPermute([]int64{1, 0}, false)
	scores, err := q.Matmul(kt, false)
	kt.MustDrop()
	if err != nil {
		return nil, err
	}
	return scores.Matmul(v, true)
}

// Stack collects and drops the pieces.
func Stack(n int) *ts.Tensor {
	var parts []*ts.Tensor
	for i := 0; i < n; i++ {
		parts = append(parts, ts.MustZeros([]int64{2}, gotch.Float, gotch.CPU))
	}
	out := ts.MustStack(parts, 0)
	for _, p := range parts {
		p.MustDrop()
	}
	return out
}

// Parameters looks at what a store owns.
func Parameters(dev gotch.Device, names []string) (int, error) {
	vs := nn.NewVarStore(dev)
	defer vs.Destroy()
	n := 0
	for _, name := range names {
		t, err := vs.Root().Get(name)
		if err != nil {
			return 0, err
		}
		n += len(t.MustSize())
	}
	return n, nil
}
