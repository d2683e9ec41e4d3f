// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gpumemlint/gpumemlint/runtime/autobatch"
	"github.com/gpumemlint/gpumemlint/runtime/balance"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/weakcache"
)

func Example_gradientAccumulation() {
	d := open()
	// forward and backward of n examples; the graph is freed by backward.
	step := func(_ context.Context, n int, s *gpumem.Scope) error {
		_, err := s.Alloc(int64(n) * 100 * mib)
		return err
	}
	micro := must(autobatch.Find(context.Background(), autobatch.Config{Device: d}, step))
	d.ResetPeak()
	total := 0.0
	for _, part := range autobatch.Split(256, micro) {
		if err := d.Run(context.Background(), func(ctx context.Context, s *gpumem.Scope) error { return step(ctx, part.Size, s) }); err != nil {
			fmt.Println(err)
		}
		total += part.Weight // what the part's loss is scaled by
	}
	fmt.Println("parts of at most", micro, "- effective batch 256, weights add up to", total)
	fmt.Println("peak", gpumem.Bytes(stats(d).ActiveBytes.All.Peak))
	// Output:
	// parts of at most 76 - effective batch 256, weights add up to 1
	// peak 6.25 GiB
}

func Example_offload() {
	d := openSim(simdrv.Config{Capacity: 100 * mib})
	adam := must(d.Alloc(60*mib, gpumem.Tag("optimizer state")))
	away := must(adam.Offload())
	acts := must(d.Alloc(80 * mib)) // has room meanwhile
	acts.Close()
	adam = must(away.Restore())
	fmt.Println(gpumem.Bytes(adam.Len()), "back, most at once on the device", gpumem.Bytes(stats(d).AllocatedBytes.All.Peak))
	adam.Close()
	// Output:
	// 60.00 MiB back, most at once on the device 80.00 MiB
}

func Example_checkpointing() {
	d := open()
	const layers, size = 16, 64 * mib
	run := func(name string, keepEvery int) {
		phase := d.Phase(name)
		var kept []gpumem.Buffer
		computed := 0
		for layer := range layers { // forward
			act := must(d.Alloc(size))
			computed++
			if layer%keepEvery == 0 {
				kept = append(kept, act)
			} else {
				act.Close()
			}
		}
		for i := len(kept) - 1; i >= 0; i-- { // backward, with what is missing computed again
			var again []gpumem.Buffer
			for range keepEvery - 1 {
				again = append(again, must(d.Alloc(size)))
				computed++
			}
			for _, b := range again {
				b.Close()
			}
			kept[i].Close()
		}
		fmt.Println(name, "peak", gpumem.Bytes(phase.End().Peak), "- layers computed", computed)
	}
	run("all kept:      ", 1)
	run("every 4th kept:", 4)
	// Output:
	// all kept:       peak 1.00 GiB - layers computed 16
	// every 4th kept: peak 448.00 MiB - layers computed 28
}

func Example_mixedPrecision() {
	type float16 uint16
	const params, activations = 50_000_000, 400_000_000
	for _, half := range []bool{false, true} {
		d := open()
		must(gpumem.AllocOf[float32](d, params, gpumem.Tag("master weights"))) // stay in float32
		must(gpumem.AllocOf[float32](d, 2*params, gpumem.Tag("optimizer")))    // and so do these
		if half {
			must(gpumem.AllocOf[float16](d, params, gpumem.Tag("weights")))
			must(gpumem.AllocOf[float16](d, activations, gpumem.Tag("activations")))
		} else {
			must(gpumem.AllocOf[float32](d, activations, gpumem.Tag("activations")))
		}
		fmt.Println("half precision:", half, "-", gpumem.Bytes(stats(d).RequestedBytes.All.Current))
	}
	// Output:
	// half precision: false - 2.05 GiB
	// half precision: true - 1.40 GiB
}

func Example_weakCache() {
	d := open()
	cache := must(weakcache.New(weakcache.Config[string, gpumem.Buffer]{
		Budget: 100 * mib,
		Size:   gpumem.Buffer.Cap,
		Close:  func(_ string, b gpumem.Buffer) error { return b.Close() },
	}))
	for i := range 50 {
		lease := must(cache.Put(fmt.Sprint("image ", i), must(d.Alloc(10*mib))))
		lease.Close() // no longer used; kept within the budget
	}
	runtime.GC() // changes nothing: closing is not left to it
	s := cache.Stats()
	fmt.Println(s.Entries, "kept,", s.Evictions, "closed,", gpumem.Bytes(stats(d).AllocatedBytes.All.Current), "on the device")
	cache.Close()
	// Output:
	// 10 kept, 40 closed, 100.00 MiB on the device
}

func Example_estimateFit() {
	d := open(gpumem.WithLimit(6 * gib))
	const heads, bytes = 16, 2
	for _, seq := range []int64{1024, 4096, 16384} { // attention scores grow with the square, parameters do not grow
		f := must(d.EstimateFit(8 * heads * seq * seq * bytes))
		fmt.Println("sequence", seq, "- fits:", f.OK)
	}
	// Output:
	// sequence 1024 - fits: true
	// sequence 4096 - fits: true
	// sequence 16384 - fits: false
}

func Example_balance() {
	small, large := openSim(simdrv.Config{Ordinal: 0, Capacity: 8 * gib}), openSim(simdrv.Config{Ordinal: 1, Capacity: 24 * gib})
	gathered := must(small.Alloc(2 * gib)) // outputs are gathered on the first
	b := must(balance.New(small, large))
	for _, s := range must(b.Split(300, 50*mib)) {
		fmt.Println("GPU", s.Device.Info().Ordinal, "gets", s.Size)
	}
	gathered.Close()
	// Output:
	// GPU 0 gets 60
	// GPU 1 gets 240
}

func Example_shards() {
	a, c := openSim(simdrv.Config{Ordinal: 0}), openSim(simdrv.Config{Ordinal: 1})
	b := must(balance.New(a, c))
	var shards []gpumem.Buffer
	for range 12 { // layers, each on one device: this is sharding, and a replica on each is not
		shards = append(shards, must(b.Alloc(1*gib)))
	}
	fmt.Println(gpumem.Bytes(stats(a).AllocatedBytes.All.Current), gpumem.Bytes(stats(c).AllocatedBytes.All.Current), "imbalance", balance.Imbalance(a, c))
	for _, s := range shards {
		s.Close()
	}
	// Output:
	// 6.00 GiB 6.00 GiB imbalance 1
}

func Example_fewerIntermediates() {
	d := open()
	chain := func(name string, fused bool) {
		phase := d.Phase(name)
		x := must(d.Alloc(100 * mib))
		if !fused { // each operation makes a result of its own
			for range 3 {
				y := must(d.Alloc(100 * mib))
				x.Close()
				x = y
			}
		}
		x.Close()
		p := phase.End()
		fmt.Println(p.Name, "peak", gpumem.Bytes(p.Peak), "in", p.Allocs, "buffers")
	}
	chain("one by one", false)
	chain("fused", true)
	// Output:
	// one by one peak 200.00 MiB in 4 buffers
	// fused peak 100.00 MiB in 1 buffers
}

func Example_dynamicBatch() {
	d := openSim(simdrv.Config{Capacity: 8 * gib})
	others := must(d.Alloc(4 * gib))
	step := func(_ context.Context, n int, s *gpumem.Scope) error {
		_, err := s.Alloc(int64(n) * 64 * mib)
		return err
	}
	n := must(autobatch.Shrink(context.Background(), autobatch.Config{Device: d}, 256, step)) // what remains decides
	fmt.Println("with 4 GiB taken:", n)
	others.Close()
	n = must(autobatch.Find(context.Background(), autobatch.Config{Device: d, MultipleOf: 8}, step))
	fmt.Println("searched anew:", n)
	// Output:
	// with 4 GiB taken: 64
	// searched anew: 120
}
