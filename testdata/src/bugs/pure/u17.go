// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gorgonia.org/gorgonia"

// One machine per character, all closed when the function ends.
func u17SampleBug(g *gorgonia.ExprGraph, n int) error {
	for i := 0; i < n; i++ {
		vm := gorgonia.NewTapeMachine(g)
		defer vm.Close() // want GM105
		if err := vm.RunAll(); err != nil {
			return err
		}
	}
	return nil
}

func u17SampleFixed(g *gorgonia.ExprGraph, n int) error {
	for i := 0; i < n; i++ {
		vm := gorgonia.NewTapeMachine(g)
		if err := vm.RunAll(); err != nil {
			vm.Close()
			return err
		}
		vm.Close()
	}
	return nil
}
