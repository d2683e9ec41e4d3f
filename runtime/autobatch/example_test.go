// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch_test

import (
	"context"
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/autobatch"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

func ExampleFind() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 8 << 30}))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := autobatch.Find(context.Background(), autobatch.Config{Device: d, MultipleOf: 8},
		func(ctx context.Context, n int, s *gpumem.Scope) error {
			_, err := s.Alloc(int64(n) * 50 << 20) // the activations of n examples
			return err
		})
	fmt.Println(n, err, d.Close())
	// Output: 152 <nil> <nil>
}

func ExampleSplit() {
	const batch = 100 // what the optimizer is to see
	found := 32       // what fits
	for _, p := range autobatch.Split(batch, found) {
		// loss := model(x[p.Start:p.Start+p.Size]) * p.Weight; loss.Backward()
		fmt.Println(p.Start, p.Size, p.Weight)
	}
	// optimizer.Step()
	// Output:
	// 0 25 0.25
	// 25 25 0.25
	// 50 25 0.25
	// 75 25 0.25
}

func ExampleShrink() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 8 << 30}))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := autobatch.Shrink(context.Background(), autobatch.Config{Device: d}, 512,
		func(ctx context.Context, n int, s *gpumem.Scope) error {
			_, err := s.Alloc(int64(n) * 50 << 20)
			return err
		})
	fmt.Println(n, err, d.Close())
	// Output: 128 <nil> <nil>
}
