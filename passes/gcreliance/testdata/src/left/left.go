// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package left

import "example.com/dev"

func once() (float64, error) {
	a, err := dev.NewArray() // want `array from dev.NewArray is left to the garbage collector, which sees only a few bytes of it: call Destroy on it \(GM404\)`
	if err != nil {
		return 0, err
	}
	return a.Sum(), nil
}

func each(n int) (sum float64) {
	for range n {
		a, err := dev.NewArray() // want `array from dev.NewArray is left to the garbage collector in each iteration`
		if err != nil {
			return 0
		}
		sum += a.Sum()
	}
	return sum
}

func right() (float64, error) {
	a, err := dev.NewArray()
	if err != nil {
		return 0, err
	}
	defer a.Destroy()
	return a.Sum(), nil
}
