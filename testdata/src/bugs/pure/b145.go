// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "github.com/NVIDIA/go-nvml/pkg/nvml"

// The library is initialised on every call and never shut down.
func b145ProfilesBug() (int, error) {
	if ret := nvml.Init(); ret != nvml.SUCCESS { // want GM102
		return 0, ret
	}
	n, ret := nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return 0, ret
	}
	return n, nil
}

func b145ProfilesFixed() (int, error) {
	if ret := nvml.Init(); ret != nvml.SUCCESS {
		return 0, ret
	}
	defer nvml.Shutdown()
	n, ret := nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return 0, ret
	}
	return n, nil
}
