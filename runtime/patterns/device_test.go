// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"fmt"
	"os"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
)

// open opens a simulated device of 8 GiB. A program on a GPU opens cudadrv
// instead and looks at the error, which these examples leave out where it would
// hide the point.
func open(opts ...gpumem.Option) *gpumem.Device { return openSim(simdrv.Config{}, opts...) }

func openSim(cfg simdrv.Config, opts ...gpumem.Option) *gpumem.Device {
	if cfg.Capacity == 0 {
		cfg.Capacity = 8 * gib
	}
	if cfg.Name == "" {
		cfg.Name = "demo GPU"
	}
	d, err := gpumem.Open(simdrv.New(cfg), opts...)
	return must(d, err)
}

// must gives v, or ends the example.
func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		panic(err)
	}
	return v
}

// stats reads a device's statistics.
func stats(d *gpumem.Device) (s gpumem.Stats) {
	d.ReadStats(&s)
	return s
}

// at names a call site, so that what is printed does not depend on lines.
func at(site string) gpumem.AllocOption { return gpumem.At(gpumem.RegisterSite(site)) }
