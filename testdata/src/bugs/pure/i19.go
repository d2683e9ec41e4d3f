// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gorgonia.org/gorgonia"

// A machine per step; Reset keeps its memory.
func i19TrainBug(g *gorgonia.ExprGraph, steps int) error {
	for i := 0; i < steps; i++ {
		vm := gorgonia.NewTapeMachine(g) // want GM102
		if err := vm.RunAll(); err != nil {
			return err
		}
		vm.Reset()
	}
	return nil
}

func i19TrainFixed(g *gorgonia.ExprGraph, steps int) error {
	vm := gorgonia.NewTapeMachine(g)
	defer vm.Close()
	for i := 0; i < steps; i++ {
		if err := vm.RunAll(); err != nil {
			return err
		}
		vm.Reset()
	}
	return nil
}
