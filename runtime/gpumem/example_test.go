// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// openExample opens a simulated device of 8 GiB. Errors are left out of these
// examples where they would hide the point; programs must not.
func openExample(opts ...gpumem.Option) *gpumem.Device {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 8 << 30, Name: "demo GPU"}),
		append([]gpumem.Option{gpumem.WithPolicy(gpumem.PolicyPyTorch)}, opts...)...)
	if err != nil {
		panic(err)
	}
	return d
}

func ExampleOpen() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(64 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gpumem.Bytes(b.Len()), b.Close(), d.Close())
	// Output: 64.00 MiB <nil> <nil>
}

func ExampleBuffer_Close() {
	d := openExample()
	b, _ := d.Alloc(1 << 20)
	fmt.Println(b.Close())
	err := b.Close()
	fmt.Println(errors.Is(err, gpumem.ErrDoubleFree), errors.Is(err, gpumem.ErrClosed))
	// Output:
	// <nil>
	// true true
}

func ExampleBuffer_View() {
	d := openExample()
	b, _ := d.Alloc(1 << 30)
	v, _ := b.View(0, 512) // half a KiB keeps all of it
	fmt.Println(b.Close())
	var s gpumem.Stats
	d.ReadStats(&s)
	fmt.Println(gpumem.Bytes(s.AllocatedBytes.All.Current))
	fmt.Println(v.Close())
	// Output:
	// <nil>
	// 1.00 GiB
	// <nil>
}

func ExampleBuffer_UsedOn() {
	d := openExample()
	copies, _ := d.NewStream()
	b, _ := d.Alloc(1 << 20) // on the default stream
	fmt.Println(b.UsedOn(copies))
	// Queue the copy on copies.Handle(), and close at once: whoever gets the
	// memory next waits for the copy, on the device.
	fmt.Println(b.Close(), copies.Close(), d.Close())
	// Output:
	// <nil>
	// <nil> <nil> <nil>
}

func ExampleAllocOf() {
	d := openExample()
	b, _ := gpumem.AllocOf[float32](d, 1000)
	fmt.Println(b.Len(), b.Cap(), b.Close())
	// Output: 4000 4096 <nil>
}

func ExampleDevice_Run() {
	d := openExample()
	err := d.Run(context.Background(), func(ctx context.Context, s *gpumem.Scope) error {
		if _, err := s.Alloc(1 << 20); err != nil {
			return err
		}
		return errors.New("the request failed") // and forgot to close
	})
	var stats gpumem.Stats
	d.ReadStats(&stats)
	fmt.Println(err, stats.Allocation.All.Current)
	// Output: the request failed 0
}

func ExampleDevice_Phase() {
	d := openExample()
	weights, _ := d.Alloc(100 << 20)
	p := d.Phase("forward")
	for range 3 {
		act, _ := d.Alloc(20 << 20)
		act.Close()
	}
	r := p.End()
	fmt.Println(r.Name, gpumem.Bytes(r.Peak), gpumem.Bytes(r.End), r.Allocs)
	weights.Close()
	// Output: forward 120.00 MiB 100.00 MiB 3
}

func ExampleDevice_OnOOM() {
	d := openExample()
	cache, _ := d.Alloc(6 << 30)
	remove := d.OnOOM(func(e *gpumem.OOMError) (retry bool) {
		return cache.Close() == nil // it can be computed again
	})
	defer remove()
	b, err := d.Alloc(4 << 30)
	fmt.Println(gpumem.Bytes(b.Len()), err)
	b.Close()
	// Output: 4.00 GiB <nil>
}

func ExampleOOMError() {
	d := openExample(gpumem.WithLimit(1<<30), gpumem.WithTracking(gpumem.TrackSite))
	b, _ := d.Alloc(700<<20, gpumem.At(gpumem.RegisterSite("model.go:31 model.New")))
	defer b.Close()
	_, err := d.Alloc(700 << 20)
	var oom *gpumem.OOMError
	fmt.Println(errors.Is(err, gpumem.ErrOutOfMemory), errors.As(err, &oom))
	fmt.Println(oom.Kind, gpumem.Bytes(oom.Requested), gpumem.Bytes(oom.Allocated), oom.Top[0].Site)
	// Output:
	// true true
	// limit 700.00 MiB 700.00 MiB model.go:31 model.New
}

func ExampleWait() {
	d := openExample()
	first, _ := d.Alloc(6 << 30)
	go func() {
		time.Sleep(time.Millisecond)
		first.Close()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	second, err := d.Alloc(6<<30, gpumem.Wait(ctx))
	fmt.Println(gpumem.Bytes(second.Len()), err)
	second.Close()
	// Output: 6.00 GiB <nil>
}

func ExampleDevice_NewPool() {
	d := openExample()
	pool, _ := d.NewPool("weights")
	b, _ := d.Alloc(1<<20, gpumem.In(pool))
	fmt.Println(pool.Name(), b.Close(), pool.Close(), d.Close())
	// Output: weights <nil> <nil> <nil>
}

func ExampleDevice_NewArena() {
	d := openExample()
	a, _ := d.NewArena(1 << 20)
	for range 3 { // steps
		for range 10 {
			if _, err := a.Alloc(50_000); err != nil {
				fmt.Println(err)
			}
		}
		a.Reset()
	}
	now, peak := a.Used()
	fmt.Println(now, gpumem.Bytes(peak), a.Close())
	// Output: 0 490.00 KiB <nil>
}

func ExampleDevice_Trim() {
	d := openExample()
	b, _ := d.Alloc(100 << 20)
	b.Close() // to the cache
	released, err := d.Trim(0)
	fmt.Println(gpumem.Bytes(released), err)
	// Output: 100.00 MiB <nil>
}

func ExampleDevice_Live() {
	d := openExample()
	b, _ := d.Alloc(1<<20, gpumem.Tag("input"), gpumem.At(gpumem.RegisterSite("loader.go:58 next")))
	for r := range d.Live() {
		fmt.Println(r.Kind, gpumem.Bytes(r.Size), r.Tag, r.Site)
	}
	fmt.Println(b.Close())
	// Output:
	// buffer 1.00 MiB input loader.go:58 next
	// <nil>
}

func ExampleDevice_Close() {
	d := openExample()
	if _, err := d.Alloc(1<<20, gpumem.At(gpumem.RegisterSite("cache.go:41 load"))); err != nil {
		fmt.Println(err)
	}
	err := d.Close()
	fmt.Println(errors.Is(err, gpumem.ErrLeak))
	// Output: true
}

func ExampleStats_Keys() {
	d := openExample()
	b, _ := d.Alloc(1000)
	var s gpumem.Stats
	d.ReadStats(&s)
	fmt.Println(s.Keys()["requested_bytes.all.current"], s.Keys()["allocated_bytes.small_pool.peak"])
	fmt.Println(b.Close())
	// Output:
	// 1000 1024
	// <nil>
}
