// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

type t07Stage struct {
	in, out *ort.Tensor[float32]
}

func t07NewStage() (*t07Stage, error) {
	in, err := ort.NewEmptyTensor[float32](ort.NewShape(1))
	if err != nil {
		return nil, err
	}
	out, err := ort.NewEmptyTensor[float32](ort.NewShape(1))
	if err != nil {
		in.Destroy()
		return nil, err
	}
	return &t07Stage{in, out}, nil
}

func (s *t07Stage) close() {
	s.in.Destroy()
	s.out.Destroy()
}

// A defer in a loop over an array of two, both used after it.
func t07Pipeline(run func(a, b *ort.Tensor[float32]) error) error {
	var batch [2]*t07Stage
	for i := range batch {
		s, err := t07NewStage()
		if err != nil {
			return err
		}
		batch[i] = s
		defer batch[i].close()
	}
	return run(batch[0].in, batch[1].out)
}
