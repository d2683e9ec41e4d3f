// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// What PyTorch 2.11 takes on an H200, in nanoseconds, measured once in a C++
// loop (docs/performance.md says how). They are printed beside our figures, and
// mean something on that GPU only.
var (
	pytorchPair    = map[int64]float64{512: 383.3, 4096: 384.6, mib: 382.4, 64 * mib: 310.1}
	pytorchChurn   = map[int]float64{256: 740.9, 2048: 800.0, 16384: 636.7}
	pytorchThreads = map[int]float64{1: 524.5, 2: 936.7, 4: 2326, 8: 2931.9, 16: 3633.8}
)

const (
	cudaEventQuery = 159.2
	cudaMalloc2MiB = 60126
	vmmPage2MiB    = 9059 + 772 + 24304 + 15235 + 9696 // create, map, set access, unmap, release
)

// compare adds the reference figure and how many times faster we are.
func compare(b *testing.B, what string, reference float64) {
	b.Helper()
	ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(reference, what+"-ns/op")
	b.ReportMetric(reference/ours, "times-faster")
}

// keepContext holds the GPU's context for the life of the process: making one
// takes a good part of a second, and benchmarks open the GPU many times.
var keepContext sync.Once

func gpu(b *testing.B, opts ...gpumem.Option) *gpumem.Device {
	b.Helper()
	keepContext.Do(func() { needGPU(b, 0) })
	d, err := gpumem.Open(needGPU(b, 0), opts...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	return d
}

func pair(b *testing.B, d *gpumem.Device, n int64, opts ...gpumem.AllocOption) {
	buf, err := d.Alloc(n, opts...)
	if err != nil {
		b.Error(err)
		return
	}
	if err := buf.Close(); err != nil {
		b.Error(err)
	}
}

func BenchmarkGPUAllocFreeHit(b *testing.B) {
	for _, n := range []int64{512, 4096, mib, 64 * mib} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := gpu(b)
			pair(b, d, n)
			b.ReportAllocs()
			for b.Loop() {
				pair(b, d, n)
			}
			compare(b, "pytorch", pytorchPair[n])
		})
	}
}

func BenchmarkGPUChurn(b *testing.B) {
	for _, live := range []int{256, 2048, 16384} {
		b.Run(fmt.Sprint(live), func(b *testing.B) {
			d := gpu(b)
			sizes := make([]int64, 1024)
			x := uint64(88172645463325252)
			for i := range sizes { // log-uniform from 512 B to 1 MiB, so that 16384 of them fit
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				sizes[i] = 512 << (x % 12)
			}
			ring := make([]gpumem.Buffer, live)
			for i := range ring {
				var err error
				if ring[i], err = d.Alloc(sizes[i%len(sizes)]); err != nil {
					b.Fatal(err)
				}
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				k := i * 7919 % live
				err := ring[k].Close()
				if err == nil {
					ring[k], err = d.Alloc(sizes[i%len(sizes)])
				}
				if err != nil {
					b.Fatal(err)
				}
				i++
			}
			compare(b, "pytorch", pytorchChurn[live])
			for _, buf := range ring {
				if err := buf.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGPUThreads lets each goroutine do b.N pairs, so ns/op is what a pair
// takes a thread, as in the reference.
func BenchmarkGPUThreads(b *testing.B) {
	for _, shared := range []bool{false, true} {
		for _, threads := range []int{1, 2, 4, 8, 16} {
			name := "own stream"
			if shared {
				name = "one stream"
			}
			b.Run(fmt.Sprintf("%s/%d", name, threads), func(b *testing.B) {
				d := gpu(b)
				streams := make([]*gpumem.Stream, threads)
				for i := range streams {
					streams[i] = d.DefaultStream()
					if !shared {
						var err error
						if streams[i], err = d.NewStream(); err != nil {
							b.Fatal(err)
						}
					}
					pair(b, d, 4096, gpumem.On(streams[i]))
				}
				b.ResetTimer()
				var wg sync.WaitGroup
				for _, s := range streams {
					wg.Go(func() {
						for range b.N {
							pair(b, d, 4096, gpumem.On(s))
						}
					})
				}
				wg.Wait()
				b.StopTimer()
				compare(b, "pytorch", pytorchThreads[threads])
				for _, s := range streams {
					if shared {
						break
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkGPUEventQuery(b *testing.B) {
	d := bare(b, 0)
	e, err := d.NewEvent()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Query(e); err != nil {
			b.Fatal(err)
		}
	}
	compare(b, "cuda", cudaEventQuery)
	if err := d.DestroyEvent(e); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkGPUDriverAlloc2MiB(b *testing.B) {
	d := bare(b, 0)
	for b.Loop() {
		p, err := d.Alloc(2 * mib)
		if err == nil {
			err = d.Free(p)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	compare(b, "cuda", cudaMalloc2MiB)
}

func BenchmarkGPUMapPage2MiB(b *testing.B) {
	d := bare(b, 0)
	page := d.Granularity()
	if page == 0 {
		b.Skip("this GPU has no virtual memory management")
	}
	p, err := d.Reserve(page)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := errors.Join(d.Map(p, page, page), d.Unmap(p, page)); err != nil {
			b.Fatal(err)
		}
	}
	compare(b, "cuda", vmmPage2MiB)
	if err := d.Release(p, page); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkGPUUncached is what the allocator saves: every pair is the driver's.
func BenchmarkGPUUncached(b *testing.B) {
	d := gpu(b, gpumem.WithNoCache())
	for b.Loop() {
		pair(b, d, 4096)
	}
	compare(b, "cuda", cudaMalloc2MiB)
}
