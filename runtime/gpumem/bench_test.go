// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// benchDriver gives addresses and no memory, so that only the allocator is
// measured. It is safe for concurrent use.
type benchDriver struct {
	Driver
	next    atomic.Uint64
	handles atomic.Uint64
	calls   atomic.Int64
}

func (d *benchDriver) Info() (DeviceInfo, error) {
	return DeviceInfo{Name: "bench", Total: 1 << 45}, nil
}
func (d *benchDriver) MemInfo() (free, total int64, err error) { return 1 << 45, 1 << 45, nil }
func (d *benchDriver) Alloc(n int64) (Ptr, error) {
	d.calls.Add(1)
	return Ptr(0x7f0000000000 + d.next.Add(uint64(n)) - uint64(n)), nil
}
func (d *benchDriver) Free(Ptr) error                         { d.calls.Add(1); return nil }
func (d *benchDriver) NewStream() (StreamHandle, error)       { return StreamHandle(d.handles.Add(1)), nil }
func (d *benchDriver) DestroyStream(StreamHandle) error       { return nil }
func (d *benchDriver) SyncStream(StreamHandle) error          { return nil }
func (d *benchDriver) NewEvent() (EventHandle, error)         { return EventHandle(d.handles.Add(1)), nil }
func (d *benchDriver) DestroyEvent(EventHandle) error         { return nil }
func (d *benchDriver) Record(EventHandle, StreamHandle) error { return nil }
func (d *benchDriver) Wait(StreamHandle, EventHandle) error   { return nil }
func (d *benchDriver) Query(EventHandle) (bool, error)        { return true, nil }
func (d *benchDriver) SyncEvent(EventHandle) error            { return nil }
func (d *benchDriver) Close() error                           { return nil }

func benchDevice(b *testing.B, opts ...Option) *Device {
	b.Helper()
	d, err := Open(&benchDriver{}, opts...)
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

// pair allocates and frees once.
func pair(b *testing.B, d *Device, n int64, opts ...AllocOption) {
	buf, err := d.Alloc(n, opts...)
	if err != nil {
		b.Fatal(err)
	}
	if err := buf.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAllocFreeHit is a pair that the cache serves, statistics on,
// tracking off. The device has other memory around, as a program does.
func BenchmarkAllocFreeHit(b *testing.B) {
	for _, size := range []int64{512, 4096, mib, 64 * mib} {
		b.Run(Bytes(size).String(), func(b *testing.B) {
			d := benchDevice(b)
			held, err := d.Alloc(size)
			if err != nil {
				b.Fatal(err)
			}
			defer held.Close()
			pair(b, d, size)
			b.ReportAllocs()
			for b.Loop() {
				pair(b, d, size)
			}
		})
	}
}

// churnSize is log-uniform from 512 B to 16 MiB.
func churnSize(rnd *rand.Rand) int64 {
	return int64(math.Exp2(9 + 15*rnd.Float64()))
}

// BenchmarkChurn frees a random one of the live buffers and allocates another.
func BenchmarkChurn(b *testing.B) {
	for _, live := range []int{1024, 2048, 16384, 100_000} {
		b.Run(fmt.Sprint(live), func(b *testing.B) {
			d := benchDevice(b)
			rnd := rand.New(rand.NewSource(1))
			sizes := make([]int64, 1<<16)
			picks := make([]int, 1<<16)
			for i := range sizes {
				sizes[i], picks[i] = churnSize(rnd), rnd.Intn(live)
			}
			bufs := make([]Buffer, live)
			for i := range bufs {
				bufs[i], _ = d.Alloc(sizes[i%len(sizes)])
			}
			step := func(i int) {
				k := picks[i%len(picks)]
				if err := bufs[k].Close(); err != nil {
					b.Fatal(err)
				}
				var err error
				if bufs[k], err = d.Alloc(sizes[(i*7)%len(sizes)]); err != nil {
					b.Fatal(err)
				}
			}
			for i := range 2 * live { // let the segments settle
				step(i)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				step(i)
				i++
			}
			b.StopTimer()
			for _, buf := range bufs {
				buf.Close()
			}
		})
	}
}

// parallel runs pairs on n goroutines; stream says which stream each uses.
func parallel(b *testing.B, d *Device, n int, stream func(i int) *Stream) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var slow []time.Duration // every 64th pair is timed
	b.ReportAllocs()
	b.ResetTimer()
	for i := range n {
		wg.Add(1)
		go func(s *Stream, n int) {
			defer wg.Done()
			took := make([]time.Duration, 0, n/64+1)
			defer func() {
				mu.Lock()
				slow = append(slow, took...)
				mu.Unlock()
			}()
			for i := range n {
				var start time.Time
				if i%64 == 0 {
					start = time.Now()
				}
				buf, err := d.Alloc(4096, On(s))
				if err != nil {
					b.Error(err)
					return
				}
				if err := buf.Close(); err != nil {
					b.Error(err)
					return
				}
				if i%64 == 0 {
					took = append(took, time.Since(start))
				}
			}
		}(stream(i), b.N/n+1)
	}
	wg.Wait()
	b.StopTimer()
	slices.Sort(slow)
	b.ReportMetric(float64(slow[len(slow)*99/100].Nanoseconds()), "p99-ns")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "procs")
}

// BenchmarkParallelStreams has goroutines that each use a stream of their own;
// ns/op is wall time for each pair of all of them together.
func BenchmarkParallelStreams(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := benchDevice(b)
			streams := make([]*Stream, n)
			for i := range streams {
				s, err := d.NewStream()
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				streams[i] = s
				pair(b, d, 4096, On(s))
			}
			parallel(b, d, n, func(i int) *Stream { return streams[i] })
		})
	}
}

// BenchmarkParallelShared has goroutines that share one stream.
func BenchmarkParallelShared(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := benchDevice(b)
			pair(b, d, 4096)
			parallel(b, d, n, func(int) *Stream { return nil })
		})
	}
}

// deep calls f under n more frames.
//
//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

// BenchmarkTrackStack is the hit pair with each way to know who allocates,
// beside the bare capture of as many frames.
func BenchmarkTrackStack(b *testing.B) {
	run := func(name string, f func(b *testing.B), opts ...Option) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			deep(30, func() { f(b) })
		})
	}
	hit := func(opts []Option, extra ...AllocOption) func(b *testing.B) {
		return func(b *testing.B) {
			d := benchDevice(b, opts...)
			for b.Loop() {
				pair(b, d, 4096, extra...)
			}
		}
	}
	run("off", hit(nil))
	run("given", hit(nil, At(RegisterSite("bench"))))
	run("site", hit([]Option{WithTracking(TrackSite)}))
	run("stack", hit([]Option{WithTracking(TrackStack)}))
	run("history", hit([]Option{WithHistory(100_000)}))
	run("callers16", func(b *testing.B) {
		var pcs [maxFrames]uintptr
		for b.Loop() {
			runtime.Callers(1, pcs[:])
		}
	})
}

// BenchmarkReferencePyTorchStructure is the yardstick: see reference_test.go.
func BenchmarkReferencePyTorchStructure(b *testing.B) {
	for _, size := range []int64{512, 4096, mib, 64 * mib} {
		b.Run("pair/"+Bytes(size).String(), func(b *testing.B) {
			r := newReference()
			r.malloc(size, 0)
			b.ReportAllocs()
			for b.Loop() {
				r.free(r.malloc(size, 0))
			}
		})
	}
	for _, live := range []int{1024, 2048, 16384, 100_000} {
		b.Run(fmt.Sprintf("churn/%d", live), func(b *testing.B) {
			r := newReference()
			rnd := rand.New(rand.NewSource(1))
			sizes := make([]int64, 1<<16)
			picks := make([]int, 1<<16)
			for i := range sizes {
				sizes[i], picks[i] = churnSize(rnd), rnd.Intn(live)
			}
			ptrs := make([]Ptr, live)
			for i := range ptrs {
				ptrs[i] = r.malloc(sizes[i%len(sizes)], 0)
			}
			i := 0
			step := func() {
				k := picks[i%len(picks)]
				r.free(ptrs[k])
				ptrs[k] = r.malloc(sizes[(i*7)%len(sizes)], 0)
				i++
			}
			for range 2 * live {
				step()
			}
			for b.Loop() {
				step()
			}
		})
	}
	for _, n := range []int{1, 2, 16} {
		b.Run(fmt.Sprintf("parallel/%d", n), func(b *testing.B) {
			r := newReference()
			var wg sync.WaitGroup
			for i := range n {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for range b.N/n + 1 {
						r.free(r.malloc(4096, StreamHandle(i)))
					}
				}()
			}
			wg.Wait()
		})
	}
}

// BenchmarkSnapshot is a snapshot of 10,000 blocks, without and with 100,000
// history entries.
func BenchmarkSnapshot(b *testing.B) {
	d := benchDevice(b, WithHistory(100_000))
	var bufs []Buffer
	for range 10_000 {
		buf, err := d.Alloc(4096)
		if err != nil {
			b.Fatal(err)
		}
		bufs = append(bufs, buf)
	}
	for range 50_000 {
		pair(b, d, 4096)
	}
	for _, history := range []bool{false, true} {
		b.Run(fmt.Sprintf("history=%v", history), func(b *testing.B) {
			for b.Loop() {
				d.Snapshot(SnapshotOptions{History: history})
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		var s Stats
		for b.Loop() {
			d.ReadStats(&s)
		}
	})
	for _, buf := range bufs {
		buf.Close()
	}
}
