// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/cudadrv"
)

func ExampleOpen() {
	drv, err := cudadrv.Open(0)
	if err != nil {
		fmt.Println(err) // says what is missing: the driver, a GPU, a function
		return
	}
	d, err := gpumem.Open(drv, gpumem.WithConf("expandable_segments:True"))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(64 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(drv.CopyIn(b.Ptr(), []byte("weights")))
	fmt.Println(b.Close(), d.Close()) // d closes the driver too
}

func ExampleDevices() {
	devices, err := cudadrv.Devices()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range devices {
		fmt.Println(d.Ordinal, d.Name, d.UUID, gpumem.Bytes(d.Total))
	}
}
