// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"errors"

	ort "github.com/yalue/onnxruntime_go"
)

// Provider options are appended to session options, which copy them; nobody
// destroys the original, on success or on failure.
func b27CUDABug(opts *ort.SessionOptions, settings map[string]string) error {
	cuda, err := ort.NewCUDAProviderOptions() // want GM102
	if err != nil {
		return err
	}
	if err := cuda.Update(settings); err != nil {
		return err
	}
	return opts.AppendExecutionProviderCUDA(cuda)
}

func b27CUDAFixed(opts *ort.SessionOptions, settings map[string]string) error {
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	if err := cuda.Update(settings); err != nil {
		return errors.Join(err, cuda.Destroy())
	}
	if err := opts.AppendExecutionProviderCUDA(cuda); err != nil {
		return errors.Join(err, cuda.Destroy())
	}
	return cuda.Destroy()
}
