// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/egl"

// The GPU display refers to the connection that the deferred call closes.
func b63DisplayBug() (*egl.Display, error) {
	x, err := egl.OpenX()
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return egl.GetPlatformDisplay(x), nil // want GM303
}

func b63DisplayFixed() (*egl.XDisplay, *egl.Display, error) {
	x, err := egl.OpenX()
	if err != nil {
		return nil, nil, err
	}
	return x, egl.GetPlatformDisplay(x), nil
}
