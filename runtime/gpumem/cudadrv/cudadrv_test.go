// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/cudadrv"
)

// ptr is the address of b's bytes, which stay on the heap since they escape.
func ptr(b []byte) uintptr {
	escape = b
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

var escape []byte

func TestNoDriverIsAPlainError(t *testing.T) {
	_, err := cudadrv.Open(0, cudadrv.Library(filepath.Join(t.TempDir(), "libcuda.so.1")))
	if err == nil || !strings.Contains(err.Error(), "install the NVIDIA driver") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestOtherLibraryIsAPlainError(t *testing.T) {
	needFake(t) // for linux and a C library
	_, err := cudadrv.Devices(cudadrv.Library("libc.so.6"))
	if err == nil || !strings.Contains(err.Error(), "it has no function cu") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestDevicesAreDescribed(t *testing.T) {
	f := needFake(t)
	got, err := cudadrv.Devices(cudadrv.Library(f.path))
	if err != nil {
		t.Fatal(err)
	}
	want := gpumem.DeviceInfo{Ordinal: 1, Name: "Simulacrum", UUID: "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1", Total: 1 << 30}
	if len(got) != 2 || got[1] != want {
		t.Errorf("got %+v, want two with %+v", got, want)
	}
	if _, err := cudadrv.Open(2, cudadrv.Library(f.path)); err == nil || err.Error() != "CUDA driver: no device 2; 2 are visible to this process" {
		t.Errorf("device 2: %v", err)
	}
}

func TestMemoryOfTwoDevices(t *testing.T) {
	f := needFake(t)
	a, b := f.open(t, 0), f.open(t, 1)
	p, err := a.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	freeA, total, err := a.MemInfo()
	if err != nil || freeA != total-1<<20 {
		t.Errorf("device 0: %d of %d free, %v", freeA, total, err)
	}
	if freeB, _, err := b.MemInfo(); err != nil || freeB != total {
		t.Errorf("device 1: %d of %d free, %v", freeB, total, err)
	}
	in, out := []byte("some bytes"), make([]byte, 10)
	if err := errors.Join(a.CopyIn(p, in), a.CopyOut(out, p)); err != nil || !bytes.Equal(in, out) {
		t.Errorf("copied %q to %q, %v", in, out, err)
	}
	if err := errors.Join(a.Fill(p, 'x', 5, 0), a.CopyOut(out, p)); err != nil || string(out) != "xxxxxbytes" {
		t.Errorf("filled to %q, %v", out, err)
	}
	if err := b.Free(p); err == nil {
		t.Error("device 1 freed memory of device 0")
	}
	if err := a.Free(p); err != nil {
		t.Error(err)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	f := needFake(t)
	d := f.open(t, 0)
	_, err := d.Alloc(2 << 30)
	var e *cudadrv.Error
	if !errors.Is(err, gpumem.ErrOutOfMemory) || !errors.As(err, &e) || e.Code != 2 {
		t.Errorf("got %v", err)
	}
	if want := "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	f.failCall("cuMemAlloc", 1, 700)
	if _, err := d.Alloc(512); err == nil || errors.Is(err, gpumem.ErrOutOfMemory) || err.Error() != "cuMemAlloc: CUDA_ERROR_ILLEGAL_ADDRESS (700)" {
		t.Errorf("a broken context: %v", err)
	}
	f.failCall("cuMemFree", 1, 4)
	if err := d.Free(1); err != nil {
		t.Errorf("a driver that is shutting down: %v", err)
	}
}

func TestStreamsAndEvents(t *testing.T) {
	f := needFake(t)
	d := f.open(t, 0)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Record(e, s), d.Wait(0, e)); err != nil {
		t.Error(err)
	}
	if done, err := d.Query(e); done || err != nil {
		t.Errorf("at first: %v, %v", done, err)
	}
	if done, err := d.Query(e); !done || err != nil {
		t.Errorf("then: %v, %v", done, err)
	}
	f.failCall("cuEventQuery", 1, 700)
	if _, err := d.Query(e); err == nil {
		t.Error("a broken context went unseen")
	}
	if err := errors.Join(d.SyncEvent(e), d.SyncStream(s), d.DestroyEvent(e), d.DestroyStream(s)); err != nil {
		t.Error(err)
	}
	if n := f.alive("se"); n != 0 {
		t.Errorf("%d streams and events are left", n)
	}
}

func TestClosedDriverRefuses(t *testing.T) {
	f := needFake(t)
	d := f.open(t, 0)
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	_, allocErr := d.Alloc(512)
	_, queryErr := d.Query(1)
	for _, err := range []error{allocErr, queryErr, d.Free(1), d.SyncStream(0)} {
		if !errors.Is(err, gpumem.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

func TestMappedMemory(t *testing.T) {
	f := needFake(t)
	d := f.open(t, 1, cudadrv.Peers(0))
	const page = 2 << 20
	if d.Granularity() != page {
		t.Fatalf("granularity %d", d.Granularity())
	}
	p, err := d.Reserve(64 * page)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Map(p, 4*page, page), d.Map(p+4*page, 20*page, 10*page)); err != nil {
		t.Fatal(err)
	}
	in, out := bytes.Repeat([]byte{7}, 3*page), make([]byte, 3*page)
	if err := errors.Join(d.CopyIn(p+3*page, in), d.CopyOut(out, p+3*page)); err != nil || !bytes.Equal(in, out) {
		t.Errorf("copying over two mappings: %v", err)
	}
	if free, total, err := d.MemInfo(); err != nil || total-free != 24*page {
		t.Errorf("%d bytes are used, %v", total-free, err)
	}
	if err := d.Unmap(p+4*page, 5*page); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("unmapping half a page: %v", err)
	}
	if err := d.Unmap(p, 4*page); err != nil {
		t.Error(err)
	}
	if err := errors.Join(d.Unmap(p+4*page, 20*page), d.Release(p, 64*page)); err != nil {
		t.Error(err)
	}
	if n := f.alive("rhp"); n != 0 {
		t.Errorf("%d reservations, handles and pages are left", n)
	}
	for _, err := range []error{d.Map(p, page+1, page), d.Map(p+1, page, page), d.Map(p, page, page/2)} {
		if !errors.Is(err, gpumem.ErrInvalid) {
			t.Errorf("an odd range: %v", err)
		}
	}
}

func TestFailedMappingLeavesNothing(t *testing.T) {
	f := needFake(t)
	d := f.open(t, 0)
	const page = 2 << 20
	p, err := d.Reserve(8 * page)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"cuMemCreate", "cuMemMap", "cuMemRelease"} {
		for nth := 1; nth <= 8; nth++ {
			f.failCall(call, nth, 2)
			if err := d.Map(p, 8*page, page); !errors.Is(err, gpumem.ErrOutOfMemory) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %d: %v", call, nth, err)
			}
			if n := f.alive("p"); n != 0 {
				t.Errorf("%s %d: %d pages are left", call, nth, n)
			}
		}
	}
	f.failCall("cuMemSetAccess", 1, 700)
	if err := d.Map(p, 8*page, page); err == nil || f.alive("p") != 0 {
		t.Errorf("access: %v, %d pages are left", err, f.alive("p"))
	}
	if err := d.Map(p, 8*page, page); err != nil { // and the range is good again
		t.Error(err)
	}
	f.failCall("cuMemUnmap", 3, 700)
	if err := d.Unmap(p, 8*page); err == nil || f.alive("p") != 6 {
		t.Errorf("a failing unmap: %v, %d pages are left", err, f.alive("p"))
	}
	if err := errors.Join(d.Unmap(p+2*page, 6*page), d.Release(p, 8*page)); err != nil {
		t.Error(err)
	}
}

// TestContextsDoNotMix calls two devices from goroutines that move between
// threads: the fake driver refuses a call on the wrong context or on none.
func TestContextsDoNotMix(t *testing.T) {
	f := needFake(t)
	n := 50_000
	if testing.Short() {
		n = 2_000
	}
	drivers := []*cudadrv.Driver{f.open(t, 0), f.open(t, 1)}
	var events [2]gpumem.EventHandle
	var memory [2]gpumem.Ptr
	for i, d := range drivers {
		var err error
		if events[i], err = d.NewEvent(); err != nil {
			t.Fatal(err)
		}
		if memory[i], err = d.Alloc(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			d, mine := drivers[g%2], make([]byte, 8)
			for i := range n {
				if _, err := d.Query(events[g%2]); err != nil {
					t.Error(err)
					return
				}
				if i%100 != 0 {
					continue
				}
				p, err := d.Alloc(4096)
				if err == nil {
					err = errors.Join(d.CopyOut(mine, memory[g%2]), d.Free(p))
				}
				if err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	for i, d := range drivers {
		if err := errors.Join(d.DestroyEvent(events[i]), d.Free(memory[i])); err != nil {
			t.Error(err)
		}
	}
}

func TestThreadsContextIsPutBack(t *testing.T) {
	f := needFake(t)
	drivers := []*cudadrv.Driver{f.open(t, 0), f.open(t, 1)}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for ordinal, d := range drivers {
		for _, theirs := range []int{-1, 0, 1} {
			purego.SyscallN(f.enter, uintptr(theirs))
			if _, _, err := d.MemInfo(); err != nil {
				t.Error(err)
			}
			want := theirs
			if theirs == -1 && ordinal == 0 {
				want = 0 // no context means device 0 to everybody
			}
			if now, _, _ := purego.SyscallN(f.inside); int(int32(now)) != want {
				t.Errorf("device %d: the thread was in context %d and is now in %d", ordinal, theirs, int32(now))
			}
		}
	}
	purego.SyscallN(f.enter, ^uintptr(0))
}

func BenchmarkFakeCall(b *testing.B) {
	f := needFake(b)
	d := f.open(b, 0)
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
	b.StopTimer()
	if err := d.DestroyEvent(e); err != nil {
		b.Fatal(err)
	}
}
