// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

// The provider options are released, except where appending them fails.
func u33SessionBug(opts *ort.SessionOptions) error {
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	if err := opts.AppendExecutionProviderCUDA(cuda); err != nil {
		return err // want GM101
	}
	return cuda.Destroy()
}

func u33SessionFixed(opts *ort.SessionOptions) error {
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer cuda.Destroy()
	return opts.AppendExecutionProviderCUDA(cuda)
}
