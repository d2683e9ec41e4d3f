// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package cudadrv

import (
	"fmt"
	"runtime"
)

func openLibrary(string) (uintptr, error) {
	return 0, fmt.Errorf("CUDA driver: not supported on %s; use the simulated device of package simdrv", runtime.GOOS)
}

func symbol(uintptr, string) (uintptr, error) { return 0, fmt.Errorf("not supported") }
