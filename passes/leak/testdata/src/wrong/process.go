// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func counted() error {
	stop, err := dev.Init() // want `library from dev.Init is never shut down \(GM102\)`
	if err != nil {
		return err
	}
	_ = stop
	return nil
}

func timed() error {
	if _, err := dev.Init(); err != nil {
		return err
	}
	return dev.Shutdown()
}
