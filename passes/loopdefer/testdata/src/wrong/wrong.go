// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func requests(sizes []int) error {
	for _, n := range sizes {
		buf, err := dev.New(n)
		if err != nil {
			return err
		}
		defer buf.Free() // want `device buffer from dev.New \(line 10\) is freed only when the function returns, not in each iteration: release it at the end of the loop body or move the body into a function \(GM105\)`
		buf.Fill(0)
	}
	return nil
}

func forever(sizes chan int) {
	for n := range sizes {
		buf, err := dev.New(n)
		if err != nil {
			continue
		}
		defer buf.Free() // want `GM105`
		buf.Fill(0)
	}
}
