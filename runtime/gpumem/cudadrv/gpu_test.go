// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/cudadrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

// The tests in this file need an NVIDIA GPU and skip where there is none. To
// take them to one:
//
//	CGO_ENABLED=0 go test -c ./runtime/gpumem/cudadrv
//	./cudadrv.test -test.v -test.run GPU -test.bench GPU
//
// and, for the check that compute-sanitizer counts the same leaks as we do:
//
//	GPUMEM_PLANT=3 compute-sanitizer --leak-check=full ./cudadrv.test -test.v -test.run GPUSanitizer

const mib = 1 << 20

// needGPU opens a GPU, or skips.
func needGPU(t testing.TB, ordinal int) *cudadrv.Driver {
	t.Helper()
	var opts []cudadrv.Option
	if path := os.Getenv("GPUMEM_TEST_LIBCUDA"); path != "" { // a driver in another place, or one that pretends
		opts = append(opts, cudadrv.Library(path))
	}
	devices, err := cudadrv.Devices(opts...)
	if err != nil {
		t.Skipf("no GPU here: %v", err)
	}
	if ordinal >= len(devices) {
		t.Skipf("needs %d GPUs, and there are %d", ordinal+1, len(devices))
	}
	d, err := cudadrv.Open(ordinal, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// bare opens a GPU that the test uses without an allocator.
func bare(t testing.TB, ordinal int) *cudadrv.Driver {
	t.Helper()
	d := needGPU(t, ordinal)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestGPUIsDescribed(t *testing.T) {
	d := bare(t, 0)
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	free, total, err := d.MemInfo()
	if err != nil || free <= 0 || free > total || info.Total < total || info.Name == "" {
		t.Errorf("%+v with %d of %d bytes free, %v", info, free, total, err)
	}
	t.Logf("%s, %s, %v, pages of %v", info.Name, info.UUID, gpumem.Bytes(info.Total), gpumem.Bytes(d.Granularity()))
}

func TestGPUMemoryHoldsData(t *testing.T) {
	d := bare(t, 0)
	p, err := d.Alloc(mib)
	if err != nil {
		t.Fatal(err)
	}
	in, out := make([]byte, mib), make([]byte, mib)
	for i := range in {
		in[i] = byte(i * 7)
	}
	if err := errors.Join(d.CopyIn(p, in), d.CopyOut(out, p)); err != nil || !bytes.Equal(in, out) {
		t.Errorf("the data came back changed, %v", err)
	}
	if err := d.Free(p); err != nil {
		t.Error(err)
	}
	if _, err := d.Alloc(1 << 50); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("1 PiB: %v", err)
	}
	if err := d.Free(12345); err == nil || errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("freeing nonsense: %v", err)
	}
}

func TestGPUMapsMemory(t *testing.T) {
	d := bare(t, 0)
	page := d.Granularity()
	if page == 0 {
		t.Skip("this GPU has no virtual memory management")
	}
	before, _, err := d.MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Reserve(64 * page)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Map(p, 10*page, page), d.Map(p+gpumem.Ptr(10*page), 20*page, 10*page)); err != nil {
		t.Fatal(err)
	}
	in, out := bytes.Repeat([]byte{5}, int(12*page)), make([]byte, 12*page)
	if err := errors.Join(d.CopyIn(p+gpumem.Ptr(5*page), in), d.CopyOut(out, p+gpumem.Ptr(5*page))); err != nil || !bytes.Equal(in, out) {
		t.Errorf("data over the border of two mappings: %v", err)
	}
	if err := errors.Join(d.Unmap(p, 10*page), d.Map(p, 10*page, 2*page), d.Unmap(p, 30*page), d.Release(p, 64*page)); err != nil {
		t.Error(err)
	}
	if after, _, err := d.MemInfo(); err != nil || before-after > 4*page {
		t.Errorf("%v are gone, %v", gpumem.Bytes(before-after), err)
	}
}

func TestGPUEventsAndStreams(t *testing.T) {
	d := bare(t, 0)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Alloc(256 * mib)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Fill(p, 1, 256*mib, s), d.Record(e, s), d.Wait(0, e), d.SyncEvent(e)); err != nil {
		t.Error(err)
	}
	if done, err := d.Query(e); !done || err != nil {
		t.Errorf("after the wait: %v, %v", done, err)
	}
	if err := errors.Join(d.SyncStream(s), d.DestroyEvent(e), d.DestroyStream(s), d.Free(p)); err != nil {
		t.Error(err)
	}
}

// TestGPUThreads calls from many goroutines at once, each of which moves
// between threads.
func TestGPUThreads(t *testing.T) {
	d := bare(t, 0)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 200 {
				p, err := d.Alloc(2 * mib)
				if err == nil {
					runtime.Gosched()
					err = d.Free(p)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestGPUSeveralDevices(t *testing.T) {
	a, b := bare(t, 0), bare(t, 1)
	pa, errA := a.Alloc(mib)
	pb, errB := b.Alloc(mib)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 4)
	if err := errors.Join(a.CopyIn(pa, []byte("AAAA")), b.CopyIn(pb, []byte("BBBB")), a.CopyOut(out, pa)); err != nil || string(out) != "AAAA" {
		t.Errorf("%q, %v", out, err)
	}
	if err := errors.Join(a.Free(pa), b.Free(pb)); err != nil {
		t.Error(err)
	}
}

// TestGPUAllocatorKeepsData runs a random workload on two streams and checks
// that no buffer's content is touched through another: what the simulated
// device checks by reasoning.
func TestGPUAllocatorKeepsData(t *testing.T) {
	for _, policy := range []gpumem.Policy{gpumem.PolicyBest, gpumem.PolicyPyTorch} {
		for _, conf := range []string{"", "expandable_segments:True"} {
			t.Run(fmt.Sprintf("%v/%s", policy, conf), func(t *testing.T) {
				drv := needGPU(t, 0)
				d := gpumemtest.New(t, gpumemtest.Driver(drv), gpumemtest.With(gpumem.WithPolicy(policy), gpumem.WithConf(conf), gpumem.WithLimit(2<<30)))
				workload(t, drv, d)
			})
		}
	}
}

type filled struct {
	gpumem.Buffer
	value byte
}

func workload(t *testing.T, drv *cudadrv.Driver, d *gpumem.Device) {
	other, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	streams := []*gpumem.Stream{d.DefaultStream(), other}
	r := rand.New(rand.NewPCG(3, 4))
	var open []filled
	check := func(i int) {
		b := open[i]
		open[i] = open[len(open)-1]
		open = open[:len(open)-1]
		ends := make([]byte, 2)
		err := errors.Join(streams[0].Sync(), other.Sync(), drv.CopyOut(ends[:1], b.Ptr()), drv.CopyOut(ends[1:], b.Ptr()+gpumem.Ptr(b.Len()-1)), b.Close())
		if err != nil || ends[0] != b.value || ends[1] != b.value {
			t.Fatalf("a buffer of %d bytes filled with %d holds %d, %v", b.Len(), b.value, ends, err)
		}
	}
	for i := range 2000 {
		if len(open) > 60 || len(open) > 0 && r.IntN(3) == 0 {
			if r.IntN(4) == 0 { // closed while a stream may be at it, unread
				k := r.IntN(len(open))
				if err := open[k].Close(); err != nil {
					t.Fatal(err)
				}
				open[k] = open[len(open)-1]
				open = open[:len(open)-1]
				continue
			}
			check(r.IntN(len(open)))
			continue
		}
		s := streams[r.IntN(2)]
		b, err := d.Alloc(1+r.Int64N(1<<r.IntN(25)), gpumem.On(s))
		if err != nil {
			t.Fatal(err)
		}
		f := filled{b, byte(i)}
		if err := drv.Fill(b.Ptr(), f.value, b.Len(), s.Handle()); err != nil {
			t.Fatal(err)
		}
		open = append(open, f)
	}
	for len(open) > 0 {
		check(0)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// TestAllocatorOverFakeDriver is the same on the fake driver, everywhere.
func TestAllocatorOverFakeDriver(t *testing.T) {
	f := needFake(t)
	const kinds = "mrhps"
	before := map[rune]int{} // other tests let releases fail
	for _, k := range kinds {
		before[k] = f.alive(string(k))
	}
	for _, conf := range []string{"", "expandable_segments:True"} {
		t.Run(conf, func(t *testing.T) {
			drv, err := cudadrv.Open(1, cudadrv.Library(f.path))
			if err != nil {
				t.Fatal(err)
			}
			workload(t, drv, gpumemtest.New(t, gpumemtest.Driver(drv), gpumemtest.With(gpumem.WithConf(conf), gpumem.WithLimit(1<<30))))
		})
	}
	for _, k := range kinds {
		if n := f.alive(string(k)) - before[k]; n != 0 {
			t.Errorf("%d things of kind %c are left in the driver", n, k)
		}
	}
}

func TestGPUOutOfMemoryIsTyped(t *testing.T) {
	drv := needGPU(t, 0)
	d := gpumemtest.New(t, gpumemtest.Driver(drv))
	_, err := d.Alloc(1 << 45)
	var oom *gpumem.OOMError
	if !errors.As(err, &oom) {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
}

// TestGPUSanitizer allocates in uncached mode, in which every buffer is the
// driver's, and leaks as many as GPUMEM_PLANT says, of 1 MiB each. Run it under
// compute-sanitizer, whose summary must name the same number.
func TestGPUSanitizer(t *testing.T) {
	drv := needGPU(t, 0)
	d, err := gpumem.Open(drv, gpumem.WithNoCache(), gpumem.WithTracking(gpumem.TrackStack))
	if err != nil {
		t.Fatal(err)
	}
	plant, _ := strconv.Atoi(os.Getenv("GPUMEM_PLANT")) // unset is none
	for i := range 20 {
		b, err := d.Alloc(mib)
		if err != nil {
			t.Fatal(err)
		}
		if i < plant {
			continue
		}
		if err := errors.Join(drv.Fill(b.Ptr(), 1, b.Len(), 0), b.Close()); err != nil {
			t.Fatal(err)
		}
	}
	leak := gpumemtest.Find(gpumemtest.Devices(d))
	if (leak != nil) != (plant > 0) {
		t.Errorf("%d leaks planted: %v", plant, leak)
	}
	t.Logf("%d buffers of 1 MiB, %d bytes, are leaked to the driver on purpose", plant, plant*mib)
	// Closing the device would release them. Closing the driver ends the
	// context, which is when the sanitizer counts.
	last := d.Close
	if plant > 0 {
		last = drv.Close
	}
	if err := last(); err != nil {
		t.Error(err)
	}
}
