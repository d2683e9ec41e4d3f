// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv_test

import (
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

func ExampleDevice_FailNth() {
	sim := simdrv.New(simdrv.Config{})
	d, err := gpumem.Open(sim)
	if err != nil {
		fmt.Println(err)
		return
	}
	sim.FailNth(simdrv.OpNewStream, 1, fmt.Errorf("no more streams"))
	_, err = d.NewStream()
	fmt.Println(err)
	fmt.Println(d.Close())
	// Output:
	// new stream on simulated GPU: simulated device: injected fault at new stream: no more streams
	// <nil>
}

func ExampleDevice_Races() {
	sim := simdrv.New(simdrv.Config{})
	d, err := gpumem.Open(sim)
	if err != nil {
		fmt.Println(err)
		return
	}
	copies, err := d.NewStream()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A copy that takes a millisecond, and no b.UsedOn(copies).
	if err := sim.Launch(copies.Handle(), time.Millisecond, b.Ptr(), b.Len()); err != nil {
		fmt.Println(err)
	}
	b.Close()
	again, err := d.Alloc(1 << 20) // the same memory, while the copy runs
	fmt.Println(err, len(sim.Races()))
	fmt.Println(again.Close(), copies.Close(), d.Close())
	// Output:
	// <nil> 1
	// <nil> <nil> <nil>
}
