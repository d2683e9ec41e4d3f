// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/sugarme/gotch/ts"

// The image and its widened copy stay after every call.
func i13PredictBug(path string, net ts.ModuleT) ([]float64, error) {
	image, err := ts.Load(path) // want GM102
	if err != nil {
		return nil, err
	}
	out := net.ForwardT(image, false)
	values := out.Float64Values()
	out.MustDrop()
	return values, nil
}

func i13PredictFixed(path string, net ts.ModuleT) ([]float64, error) {
	image, err := ts.Load(path)
	if err != nil {
		return nil, err
	}
	out := net.ForwardT(image, false)
	image.MustDrop()
	values := out.Float64Values()
	out.MustDrop()
	return values, nil
}
