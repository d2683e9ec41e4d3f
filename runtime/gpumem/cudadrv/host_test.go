// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/cudadrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

// usePinned uses pinned memory through the allocator: the program's bytes are in
// it, a closed buffer's memory comes from the cache again, and it offloads.
func usePinned(t *testing.T, host *cudadrv.Host) {
	t.Helper()
	d := gpumemtest.New(t, gpumemtest.Driver(host))
	b, err := d.Alloc(3*mib + 5)
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := host.Bytes(b)
	if len(bytesOf) != 3*mib+5 {
		t.Fatalf("%d bytes", len(bytesOf))
	}
	for i := range bytesOf {
		bytesOf[i] = byte(i)
	}
	o, err := b.Offload()
	if err != nil {
		t.Fatal(err)
	}
	if host.Bytes(b) != nil {
		t.Error("a closed buffer has bytes")
	}
	b, err = o.Restore()
	if err != nil {
		t.Fatal(err)
	}
	if got := host.Bytes(b); got[12345] != 12345%256 || got[3*mib+4] != byte((3*mib+4)%256) {
		t.Error("the content is not what it was")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	var s gpumem.Stats
	d.ReadStats(&s)
	keys := s.HostKeys()
	if keys["num_host_alloc"] != 1 || keys["active_bytes.peak"] != s.ActiveBytes.All.Peak || keys["active_bytes.current"] != 0 ||
		keys["allocated_bytes.current"] != s.ReservedBytes.All.Current || keys["active_requests.allocated"] != 2 || len(keys) != 18 {
		t.Errorf("host statistics %v", keys)
	}
	free, total, err := host.MemInfo()
	if err != nil || free < 0 || free > total {
		t.Errorf("%d of %d free, %v", free, total, err)
	}
	if _, err := gpumem.Open(host, gpumem.WithConf("expandable_segments:True")); err == nil {
		t.Error("pinned memory is mapped page by page")
	}
}

func TestPinnedMemory(t *testing.T) {
	f := needFake(t)
	host, err := cudadrv.OpenHost(1, cudadrv.Library(f.path))
	if err != nil {
		t.Fatal(err)
	}
	info, err := host.Info()
	if err != nil || info.Ordinal != 1 || info.UUID != "HOST" || info.Name != "pinned memory of the host" {
		t.Errorf("%+v, %v", info, err)
	}
	t.Cleanup(func() {
		if n := f.alive("o"); n != 0 {
			t.Errorf("%d blocks are pinned after Close", n)
		}
	})
	usePinned(t, host)
	if n := f.alive("o"); n != 1 {
		t.Errorf("%d blocks are pinned, want the one in the cache", n)
	}
	f.failCall("cuMemHostAlloc", 1, 2)
	if _, err := host.Alloc(512); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("no memory to pin: %v", err)
	}
	if err := host.Free(42); err == nil {
		t.Error("freed nonsense")
	}
	if _, err := cudadrv.OpenHost(9, cudadrv.Library(f.path)); err == nil {
		t.Error("opened through a GPU that is not there")
	}
}

func TestPinnedStreams(t *testing.T) {
	f := needFake(t)
	host, err := cudadrv.OpenHost(0, cudadrv.Library(f.path))
	if err != nil {
		t.Fatal(err)
	}
	s, err := host.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := host.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(host.Record(e, s), host.Wait(0, e), host.SyncEvent(e), host.SyncStream(s)); err != nil {
		t.Error(err)
	}
	if done, err := host.Query(e); !done || err != nil {
		t.Errorf("after the wait: %v, %v", done, err)
	}
	p, err := host.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	in, out := []byte("pinned"), make([]byte, 6)
	if err := errors.Join(host.CopyIn(p, in), host.CopyOut(out, p)); err != nil || !bytes.Equal(in, out) {
		t.Errorf("%q, %v", out, err)
	}
	if err := errors.Join(host.Free(p), host.DestroyEvent(e), host.DestroyStream(s), host.Close()); err != nil {
		t.Error(err)
	}
	_, _, err = host.MemInfo()
	if !errors.Is(err, gpumem.ErrClosed) || !errors.Is(host.CopyIn(p, in), gpumem.ErrClosed) || !errors.Is(host.CopyOut(out, p), gpumem.ErrClosed) {
		t.Errorf("used after Close: %v", err)
	}
}

// TestGPUPinnedMemory is the same on a GPU, with copies between both.
func TestGPUPinnedMemory(t *testing.T) {
	gpu := bare(t, 0)
	var opts []cudadrv.Option
	if path := os.Getenv("GPUMEM_TEST_LIBCUDA"); path != "" {
		opts = append(opts, cudadrv.Library(path))
	}
	host, err := cudadrv.OpenHost(0, opts...)
	if err != nil {
		t.Fatal(err)
	}
	usePinned(t, host)
	p, err := gpu.Alloc(mib)
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Alloc(mib)
	if err != nil {
		t.Fatal(err)
	}
	in, out := bytes.Repeat([]byte{7, 9}, mib/2), make([]byte, mib)
	if err := errors.Join(host.CopyIn(h, in), gpu.CopyIn(p, in), gpu.CopyOut(out, p)); err != nil || !bytes.Equal(in, out) {
		t.Errorf("the data came back changed, %v", err)
	}
	if err := errors.Join(gpu.Free(p), host.Free(h)); err != nil {
		t.Error(err)
	}
}

// TestGPUOffload moves a GPU's memory to the host and back.
func TestGPUOffload(t *testing.T) {
	d := gpumemtest.New(t, gpumemtest.Driver(needGPU(t, 0)))
	b, err := d.Alloc(64*mib + 3)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Driver().(gpumem.Copier)
	in := bytes.Repeat([]byte("offload"), (64*mib+3)/7)
	if err := c.CopyIn(b.Ptr(), in); err != nil {
		t.Fatal(err)
	}
	o, err := b.Offload()
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.Alloc(64 * mib) // in the memory that was freed
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CopyIn(other.Ptr(), make([]byte, 64*mib)); err != nil {
		t.Fatal(err)
	}
	back, err := o.Restore()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, len(in))
	if err := c.CopyOut(out, back.Ptr()); err != nil || !bytes.Equal(in, out) {
		t.Errorf("the data came back changed, %v", err)
	}
	if err := errors.Join(other.Close(), back.Close()); err != nil {
		t.Error(err)
	}
}

func TestMeminfo(t *testing.T) {
	free, total := cudadrv.ParseMeminfo("MemTotal:       24529852 kB\nMemFree:          1 kB\nMemAvailable:   20000000 kB\nHugePages_Total:   0\nbroken\nMemTotal: x kB\n")
	if free != 20000000<<10 || total != 24529852<<10 {
		t.Errorf("%d of %d", free, total)
	}
}
