// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func begins() error {
	stop, err := dev.Init()
	if err != nil {
		return err
	}
	defer stop()
	return nil
}

func beginsAndEnds() error {
	if _, err := dev.Init(); err != nil {
		return err
	}
	return dev.Shutdown()
}
