// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package svg_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/svg"
)

func ExampleWrite() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(100_000))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	var file bytes.Buffer
	fmt.Println(svg.Write(&file, profile.Take(d), "after the warm-up"), strings.HasPrefix(file.String(), "<svg "))
	// Output: <nil> true
}
