// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"errors"
	"fmt"

	"github.com/ebitengine/purego"
)

// names are tried in order; the second is what a container without the
// versioned link has.
var names = []string{"libcuda.so.1", "libcuda.so"}

func openLibrary(path string) (uintptr, error) {
	tries := names
	if path != "" {
		tries = []string{path}
	}
	var failed error
	for _, name := range tries {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return handle, nil
		}
		failed = errors.Join(failed, err)
	}
	return 0, fmt.Errorf("CUDA driver: no library %s (%w); install the NVIDIA driver, or use the simulated device of package simdrv",
		tries[0], firstOf(failed))
}

// firstOf keeps the message on one line: the second name fails like the first.
func firstOf(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok && len(many.Unwrap()) > 0 {
		return many.Unwrap()[0]
	}
	return err
}

func symbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
