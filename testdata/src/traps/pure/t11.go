// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

// A factory: who calls it destroys the result.
func t11IntTensor(dims []int64, values []int64) *ort.Tensor[int64] {
	t, err := ort.NewTensor(ort.NewShape(dims...), values)
	if err != nil {
		panic(err)
	}
	return t
}

func t11TextInputs(ids [][]int64) (*ort.Tensor[int64], *ort.Tensor[int64]) {
	flat := make([]int64, 0, len(ids))
	for _, row := range ids {
		flat = append(flat, row...)
	}
	return t11IntTensor([]int64{int64(len(flat))}, flat), t11IntTensor([]int64{1}, []int64{0})
}

func t11Run(ids [][]int64) int {
	a, b := t11TextInputs(ids)
	defer a.Destroy()
	defer b.Destroy()
	return len(a.GetData()) + len(b.GetData())
}
