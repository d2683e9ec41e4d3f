// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
)

// exampleDevice opens a device that remembers what the pictures need: the call
// stacks and the last events.
func exampleDevice() (*gpumem.Device, error) {
	return gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(100_000),
		gpumem.WithPolicy(gpumem.PolicyPyTorch))
}

func ExampleTake() {
	d, err := exampleDevice()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(1<<20, gpumem.At(gpumem.RegisterSite("model.go:31 model.New")))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := profile.Take(d)
	var file bytes.Buffer // drop it into pytorch.org/memory_viz, or give it to gpumem report
	fmt.Println(s.WriteJSON(&file), s.Allocated(0))
	fmt.Println(b.Close(), d.Close())
	// Output:
	// <nil> 1048576
	// <nil> <nil>
}

func ExampleHandler() {
	mux := http.NewServeMux()
	profile.Register(mux) // go tool pprof http://localhost:8080/debug/pprof/gpumem
	fmt.Println(profile.Path)
	// Output: /debug/pprof/gpumem
}

func ExampleNewDiff() {
	d, err := exampleDevice()
	if err != nil {
		fmt.Println(err)
		return
	}
	before := profile.Take(d)
	b, err := d.Alloc(1<<20, gpumem.At(gpumem.RegisterSite("cache.go:88 cache.Append")))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := profile.NewDiff(before, profile.Take(d)).WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.Close(), d.Close())
	// Output:
	// device 0: allocated 0 B → 1.00 MiB (+1.00 MiB), reserved 0 B → 2.00 MiB (+2.00 MiB), blocks 0 → 1 (+1)
	//
	//        bytes  blocks  call site
	//    +1.00 MiB      +1  cache.go:88 cache.Append
	// <nil> <nil>
}

func ExampleWriteText() {
	d, err := exampleDevice()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(100, gpumem.At(gpumem.RegisterSite("model.go:31 model.New")))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := profile.WriteText(os.Stdout, profile.Take(d)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.Close(), d.Close())
	// Output:
	// device 0: 512 B allocated in 1 blocks, 512 B active, 2.00 MiB reserved in 1 segments
	//   2.00 MiB free in segments, the largest piece 2.00 MiB; 412 B lost to rounding; 3 events recorded
	//
	//       in use  blocks    allocated  blocks  call site
	//        512 B       1        512 B       1  model.go:31 model.New
	// <nil> <nil>
}
