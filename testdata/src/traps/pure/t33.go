// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

// Made in one of two branches, checked in each, deferred once.
func t33Encode(pooled bool, s *ort.DynamicAdvancedSession, in ort.Value) ([]float32, error) {
	var out *ort.Tensor[float32]
	var err error
	if pooled {
		out, err = ort.NewEmptyTensor[float32](ort.NewShape(1, 384))
	} else {
		out, err = ort.NewEmptyTensor[float32](ort.NewShape(1, 128, 384))
	}
	if err != nil {
		return nil, err
	}
	defer out.Destroy()
	if err := s.Run([]ort.Value{in}, []ort.Value{out}); err != nil {
		return nil, err
	}
	return append([]float32(nil), out.GetData()...), nil
}
