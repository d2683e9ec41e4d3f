// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

func Example_deviceMemory() {
	d := openSim(simdrv.Config{Name: "NVIDIA H200", Foreign: 1 * gib})
	info := d.Info()
	free, total, _ := d.Driver().MemInfo() // the driver's view: all processes
	fmt.Println(info.Name, info.UUID)
	fmt.Println(gpumem.Bytes(total), "in all,", gpumem.Bytes(free), "free")
	// Output:
	// NVIDIA H200 GPU-51300000-0000-0000-0000-000000000000
	// 8.00 GiB in all, 7.00 GiB free
}

func Example_cachedMemory() {
	d := open()
	b := must(d.Alloc(100 * mib))
	b.Close() // to the cache, not to the driver
	s := stats(d)
	fmt.Println("allocated", gpumem.Bytes(s.AllocatedBytes.All.Current))
	fmt.Println("reserved", gpumem.Bytes(s.ReservedBytes.All.Current))
	fmt.Println("cached", gpumem.Bytes(s.CachedBytes()))
	// Output:
	// allocated 0 B
	// reserved 100.00 MiB
	// cached 100.00 MiB
}

func Example_hostMemory() {
	d := open()
	state := must(d.Alloc(64*mib, gpumem.Tag("optimizer state")))
	away := must(state.Offload()) // to host memory, by an explicit copy
	s := stats(d)
	fmt.Println("on the device", gpumem.Bytes(s.AllocatedBytes.All.Current), "- on the host", gpumem.Bytes(s.Offloaded.Current))
	state = must(away.Restore())
	s = stats(d)
	fmt.Println("on the device", gpumem.Bytes(s.AllocatedBytes.All.Current), "- on the host", gpumem.Bytes(s.Offloaded.Current))
	state.Close()
	// Output:
	// on the device 0 B - on the host 64.00 MiB
	// on the device 64.00 MiB - on the host 0 B
}

func Example_cachingAllocator() {
	d := open()
	for range 1000 {
		b := must(d.Alloc(64 * mib))
		b.Close()
	}
	s := stats(d)
	fmt.Println(s.Allocation.All.Allocated, "buffers,", s.NumDeviceAlloc, "call to the driver")
	// Output: 1000 buffers, 1 call to the driver
}

func Example_freeList() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch))
	a := must(d.Alloc(4 * mib))
	b := must(d.Alloc(6 * mib))
	a.Close()
	for block := range d.Blocks() { // one segment of 20 MiB, in address order
		fmt.Println(gpumem.Bytes(block.Size), block.State)
	}
	b.Close()
	// Output:
	// 4.00 MiB inactive
	// 6.00 MiB active_allocated
	// 10.00 MiB inactive
}

func Example_bestFit() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch))
	var live []gpumem.Buffer
	for _, n := range []int64{6 * mib, 2 * mib, 4 * mib, 2 * mib} {
		live = append(live, must(d.Alloc(n)))
	}
	hole6, hole4 := live[0].Ptr(), live[2].Ptr()
	live[0].Close()
	live[2].Close()
	b := must(d.Alloc(3 * mib)) // the smallest hole that is large enough
	fmt.Println(b.Ptr() == hole4, b.Ptr() == hole6)
	b.Close()
	// Output: true false
}

func Example_askTheDriver() {
	sim := simdrv.New(simdrv.Config{})
	sim.OnCall(func(op simdrv.Op, n int64) error {
		if op == simdrv.OpAlloc {
			fmt.Println("the driver is asked for", gpumem.Bytes(n))
		}
		return nil
	})
	d := must(gpumem.Open(sim, gpumem.WithPolicy(gpumem.PolicyPyTorch)))
	for _, n := range []int64{512, 1 * mib, 3 * mib, 9 * mib, 11 * mib} {
		must(d.Alloc(n))
	}
	// Output:
	// the driver is asked for 2.00 MiB
	// the driver is asked for 20.00 MiB
	// the driver is asked for 12.00 MiB
}

func Example_threeCollectors() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch), gpumem.WithLimit(1*gib), gpumem.WithGCThreshold(0.8), gpumem.WithRescue(true))
	// 1. At a threshold: cached segments that were idle long go back.
	for _, n := range []int64{100, 200, 300, 400, 500} {
		must(d.Alloc(n * mib)).Close()
	}
	fmt.Println("threshold collections:", stats(d).GCRuns > 0)
	// 2. Where there is no more: the cache is emptied, and the call repeated.
	must(d.Alloc(900 * mib)).Close()
	fmt.Println("retries:", stats(d).NumAllocRetries > 0)
	// 3. Go's garbage collector, before out of memory is declared: it finds what
	// the program has lost.
	func() { must(d.Alloc(900 * mib)) }() // and nobody keeps the handle
	b, err := d.Alloc(800 * mib)
	fmt.Println("rescued:", stats(d).FinalizerFrees, err)
	b.Close()
	// Output:
	// threshold collections: true
	// retries: true
	// rescued: 1 <nil>
}

func Example_fragmentation() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch))
	var live []gpumem.Buffer
	for range 2000 {
		live = append(live, must(d.Alloc(700))) // 1024 bytes each
	}
	for i := range live {
		if i%2 == 0 {
			live[i].Close()
		}
	}
	s := stats(d)
	fmt.Printf("internal    %.2f lost to rounding\n", s.InternalFragmentation())
	fmt.Printf("external    %.2f free, but not in the largest piece, %v\n", s.ExternalFragmentation(), gpumem.Bytes(s.LargestFree))
	fmt.Printf("utilization %.2f peak active over peak reserved\n", s.Utilization())
	// Output:
	// internal    0.32 lost to rounding
	// external    0.95 free, but not in the largest piece, 48.00 KiB
	// utilization 0.98 peak active over peak reserved
}

func Example_memorySummary() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch))
	b := must(d.Alloc(100 * mib))
	var table strings.Builder
	d.Summary(&table, true) // PyTorch's table, to the byte
	for _, line := range strings.Split(table.String(), "\n")[5:14] {
		fmt.Println(line)
	}
	b.Close()
	// Output:
	// |        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
	// |---------------------------------------------------------------------------|
	// | Allocated memory      | 102400 KiB | 102400 KiB | 102400 KiB |      0 B   |
	// |---------------------------------------------------------------------------|
	// | Active memory         | 102400 KiB | 102400 KiB | 102400 KiB |      0 B   |
	// |---------------------------------------------------------------------------|
	// | Requested memory      | 102400 KiB | 102400 KiB | 102400 KiB |      0 B   |
	// |---------------------------------------------------------------------------|
	// | GPU reserved memory   | 102400 KiB | 102400 KiB | 102400 KiB |      0 B   |
}

func Example_fragmentedOutOfMemory() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch), gpumem.WithLimit(100*mib), gpumem.WithTracking(gpumem.TrackSite))
	var batches []gpumem.Buffer
	for i := range 20 { // five segments of 20 MiB
		if i%4 == 1 {
			must(d.Alloc(5*mib, at("cache.go:88 Append")))
			continue
		}
		batches = append(batches, must(d.Alloc(5*mib, at("batch.go:12 load"))))
	}
	for _, b := range batches {
		b.Close()
	}
	_, err := d.Alloc(30 * mib)
	var oom *gpumem.OOMError
	fmt.Println(errors.As(err, &oom), oom.Kind)
	fmt.Println(gpumem.Bytes(oom.TotalFree), "free, the largest piece", gpumem.Bytes(oom.LargestFree))
	fmt.Println("in the way:", oom.Top[0].Site)
	fmt.Println("hint:", oom.Hints[0])
	// Output:
	// true fragmented
	// 75.00 MiB free, the largest piece 10.00 MiB
	// in the way: cache.go:88 Append
	// hint: set expandable_segments:True, so that free pages can move
}

func Example_customDriver() {
	// A driver that takes at most 1 GiB, put around another one. It is chosen when
	// the device is opened; there is no way to exchange it under live buffers.
	d := must(gpumem.Open(&capped{Driver: simdrv.New(simdrv.Config{}), left: 1 * gib}))
	b := must(d.Alloc(900 * mib))
	_, err := d.Alloc(200 * mib)
	fmt.Println(errors.Is(err, gpumem.ErrOutOfMemory))
	b.Close()
	// Output: true
}

// capped passes everything on but what goes beyond its budget.
type capped struct {
	gpumem.Driver
	left int64
}

func (c *capped) Alloc(n int64) (gpumem.Ptr, error) {
	if n > c.left {
		return 0, fmt.Errorf("capped: %v left: %w", gpumem.Bytes(c.left), gpumem.ErrOutOfMemory)
	}
	p, err := c.Driver.Alloc(n)
	if err == nil {
		c.left -= n
	}
	return p, err
}

func Example_memoryPool() {
	d := open()
	arena := must(d.NewArena(64 * mib)) // one buffer, handed out in parts
	a := must(arena.Alloc(10 * mib))
	b := must(arena.Alloc(10 * mib))
	fmt.Println("the parts overlap:", b < a+gpumem.Ptr(10*mib))
	_, err := arena.Alloc(50 * mib)
	fmt.Println("full:", errors.Is(err, gpumem.ErrOutOfMemory))
	arena.Reset() // everything is taken back at once
	c := must(arena.Alloc(60 * mib))
	fmt.Println("from the start again:", c == a)
	arena.Close()
	// Output:
	// the parts overlap: false
	// full: true
	// from the start again: true
}

func Example_falseExhaustion() {
	d := open(gpumem.WithPolicy(gpumem.PolicyPyTorch))
	var reserved []gpumem.Bytes
	for range 100 {
		x := must(d.Alloc(10_000 * 10_000 * 4)) // 381 MiB
		x.Close()
		if s := stats(d); len(reserved) == 0 || reserved[len(reserved)-1] != gpumem.Bytes(s.ReservedBytes.All.Current) {
			reserved = append(reserved, gpumem.Bytes(s.ReservedBytes.All.Current))
		}
	}
	fmt.Println("reserved took these values:", reserved)
	// And a full cache fails nothing: it is emptied first.
	must(d.Alloc(7*gib + 900*mib)).Close()
	fmt.Println("7.9 of 8 GiB, reserved", gpumem.Bytes(stats(d).ReservedBytes.All.Current), "- out of memory:", stats(d).NumOOMs)
	// Output:
	// reserved took these values: [382.00 MiB]
	// 7.9 of 8 GiB, reserved 7.88 GiB - out of memory: 0
}

func Example_emptyCache() {
	run := func(flush bool) gpumem.Stats {
		d := open()
		for range 100 {
			b := must(d.Alloc(500 * mib))
			b.Close()
			if flush {
				must(d.Trim(0))
			}
		}
		return stats(d)
	}
	for _, flush := range []bool{false, true} {
		s := run(flush)
		fmt.Println("flushed:", flush, "- driver calls:", s.NumDeviceAlloc+s.NumDeviceFree, "- peak reserved:", gpumem.Bytes(s.ReservedBytes.All.Peak))
	}
	// Output:
	// flushed: false - driver calls: 1 - peak reserved: 500.00 MiB
	// flushed: true - driver calls: 200 - peak reserved: 500.00 MiB
}

func Example_units() {
	const n = 10_000 * 10_000 * 4
	fmt.Println(gpumem.Bytes(n))                                // a binary unit has a binary name
	fmt.Printf("%.2f MB, but %.2f MiB\n", n/1e6, n/1024./1024.) // which one did you print?
	// Output:
	// 381.47 MiB
	// 400.00 MB, but 381.47 MiB
}

func Example_topSites() {
	d := open(gpumem.WithTracking(gpumem.TrackSite))
	must(d.Alloc(64*mib, at("model.go:31 model.New")))
	must(d.Alloc(16*mib, at("cache.go:88 cache.Append")))
	must(d.Alloc(16*mib, at("cache.go:88 cache.Append")))
	for _, use := range d.TopSites(10) {
		fmt.Printf("%v in %d at %v\n", gpumem.Bytes(use.Bytes), use.Count, use.Site)
	}
	// Output:
	// 64.00 MiB in 1 at model.go:31 model.New
	// 32.00 MiB in 2 at cache.go:88 cache.Append
}
