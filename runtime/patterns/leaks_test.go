// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
	"github.com/gpumemlint/gpumemlint/runtime/growth"
)

func Example_reservedDoesNotShrink() {
	d := open()
	watch := growth.Watch(d, growth.Config{Window: 16})
	suspected := false
	for range 100 {
		b := must(d.Alloc(200 * mib))
		b.Close()
		suspected = watch.Step() || suspected
	}
	s := stats(d)
	fmt.Println("reserved", gpumem.Bytes(s.ReservedBytes.All.Current), "- allocated", gpumem.Bytes(s.AllocatedBytes.All.Current), "- leak suspected:", suspected)
	// Output:
	// reserved 200.00 MiB - allocated 0 B - leak suspected: false
}

func Example_growingList() {
	d := open(gpumem.WithTracking(gpumem.TrackSite))
	watch := growth.Watch(d, growth.Config{Window: 16})
	var cache []gpumem.Buffer // lives as long as the model
	for range 40 {
		cache = append(cache, must(d.Alloc(2*mib, at("model.go:12 forward"))))
		watch.Step()
	}
	r := watch.Report()
	fmt.Println("leak suspected:", r.Suspected)
	fmt.Println(r.Sites[0].Site, r.Sites[0].Count.PerStep, "a step")
	for _, b := range cache {
		b.Close()
	}
	// Output:
	// leak suspected: true
	// model.go:12 forward 1 a step
}

func Example_streamsAndEvents() {
	d := open(gpumem.WithTracking(gpumem.TrackStack))
	s := must(d.NewStream())
	e := must(d.NewEvent())
	s.Sync() // waits, and gives nothing back
	for r := range d.Live() {
		fmt.Println("alive:", r.Kind)
	}
	e.Close()
	s.Close()
	fmt.Println(d.Close())
	// Output:
	// alive: stream
	// alive: event
	// <nil>
}

func Example_workers() {
	d := open(gpumem.WithTracking(gpumem.TrackStack))
	var wait sync.WaitGroup
	results := make(chan gpumem.Buffer, 4)
	for w := range 4 {
		wait.Go(func() {
			b := must(d.Alloc(1*mib, gpumem.Tag(fmt.Sprintf("worker %d", w)), at("loader.go:58 next")))
			if w == 2 {
				return // gave up, and kept its buffer
			}
			results <- b // whoever receives it closes it
		})
	}
	wait.Wait()
	close(results)
	for b := range results {
		b.Close()
	}
	for r := range d.Live() {
		fmt.Println("left by", r.Tag, "at", r.Site)
	}
	// Output:
	// left by worker 2 at loader.go:58 next
}

func Example_tolerance() {
	d := open(gpumem.WithTracking(gpumem.TrackSite))
	for range 100 {
		must(d.Alloc(32*3*4, at("leak_test.go:5 TestMemoryLeak"))) // 32x3 float32, never closed
	}
	fmt.Println("with a tolerance of 1 MB:", gpumemtest.Find(gpumemtest.Devices(d), gpumemtest.Tolerance(1_000_000)))
	text := gpumemtest.Find(gpumemtest.Devices(d)).Error()
	fmt.Println(strings.Split(text, "\n")[1])
	// Output:
	// with a tolerance of 1 MB: <nil>
	// [100 buffers, 50.00 KiB] leaked at leak_test.go:5 TestMemoryLeak (rule GM102)
}

func Example_finallyTrim() {
	d := open()
	train := func() (kept gpumem.Buffer, err error) {
		defer d.Trim(0) // the article's finally: empty_cache()
		kept = must(d.Alloc(100 * mib))
		return kept, errors.New("broke in the middle")
	}
	kept, _ := train()
	fmt.Println("after a flush:", gpumem.Bytes(stats(d).AllocatedBytes.All.Current))
	kept.Close()
	err := d.Run(context.Background(), func(_ context.Context, s *gpumem.Scope) error {
		must(s.Alloc(100 * mib)) // closed with the scope, also on a panic
		return errors.New("broke in the middle")
	})
	fmt.Println("after a scope:", gpumem.Bytes(stats(d).AllocatedBytes.All.Current), "-", err)
	// Output:
	// after a flush: 100.00 MiB
	// after a scope: 0 B - broke in the middle
}

func Example_useAfterClose() {
	d := open()
	b := must(d.Alloc(1 * mib))
	fmt.Println(b.Close())
	fmt.Println(b.Valid(), errors.Is(b.Close(), gpumem.ErrDoubleFree))
	_, err := b.View(0, 10)
	fmt.Println(errors.Is(err, gpumem.ErrClosed))
	// Output:
	// <nil>
	// false true
	// true
}

func Example_inferenceKeepsNothing() {
	d := open(gpumem.WithTracking(gpumem.TrackSite))
	var graph []gpumem.Buffer // what autograd keeps for a backward pass that never comes
	err := d.Within(context.Background(), gpumem.Budget{Name: "inference"}, func(_ context.Context, s *gpumem.Scope) error {
		for range 3 {
			graph = append(graph, must(d.Alloc(8*mib, at("infer.go:9 forward"))))
		}
		return nil
	})
	var over *gpumem.BudgetError
	fmt.Println(errors.As(err, &over), len(over.Kept), "kept by", over.Kept[0].Site)
	for _, b := range graph {
		b.Close()
	}
	// Output:
	// true 3 kept by infer.go:9 forward
}
