// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestOffloadRoundTrip moves contents out and back, with plain and with mapped
// memory, while other buffers come and go in the memory that was freed.
func TestOffloadRoundTrip(t *testing.T) {
	for name, opts := range map[string][]gpumem.Option{
		"plain":      {gpumem.WithTracking(gpumem.TrackSite)},
		"expandable": {gpumem.WithConf("expandable_segments:True")},
	} {
		t.Run(name, func(t *testing.T) {
			sim := simdrv.New(simdrv.Config{Capacity: 64 << 20})
			d, err := gpumem.Open(sim, opts...)
			if err != nil {
				t.Fatal(err)
			}
			const size = 40<<20 + 123 // two do not fit
			content := func(seed byte) []byte {
				out := make([]byte, size)
				for i := range out {
					out[i] = byte(i*7)%251 + seed
				}
				return out
			}
			site := gpumem.RegisterSite("optimizer.go:12 state")
			a, err := d.Alloc(size, gpumem.Tag("optimizer state"), gpumem.At(site))
			if err != nil {
				t.Fatal(err)
			}
			if err := sim.CopyIn(a.Ptr(), content(1)); err != nil {
				t.Fatal(err)
			}
			away, err := a.Offload()
			if err != nil {
				t.Fatal(err)
			}
			if a.Valid() {
				t.Error("the offloaded buffer is still open")
			}
			stats := func() (live, offloaded int64) {
				var s gpumem.Stats
				d.ReadStats(&s)
				return s.AllocatedBytes.All.Current, s.Offloaded.Current
			}
			if live, off := stats(); live != 0 || off != size || away.Len() != size {
				t.Errorf("%d allocated and %d offloaded, want 0 and %d", live, off, size)
			}
			b, err := d.Alloc(size)
			if err != nil {
				t.Fatal(err)
			}
			if err := sim.CopyIn(b.Ptr(), content(99)); err != nil {
				t.Fatal(err)
			}
			if _, err := away.Restore(); !errors.Is(err, gpumem.ErrOutOfMemory) {
				t.Fatalf("restored into a full device: %v", err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			back, err := away.Restore()
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, size)
			if err := sim.CopyOut(got, back.Ptr()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, content(1)) {
				t.Error("the content is not what it was")
			}
			for r := range d.Live() {
				if r.Tag != "optimizer state" || r.Site != site {
					t.Errorf("restored as %v, want the tag and the site that it had", r)
				}
			}
			if _, off := stats(); off != 0 {
				t.Errorf("%d bytes offloaded after the restore", off)
			}
			if _, err := away.Restore(); !errors.Is(err, gpumem.ErrClosed) {
				t.Errorf("second restore: %v", err)
			}
			if err := errors.Join(back.Close(), d.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// noCopy is a driver that cannot copy.
type noCopy struct{ gpumem.Driver }

// TestOffloadRefuses checks what cannot be offloaded, and that it stays whole.
func TestOffloadRefuses(t *testing.T) {
	d := openSim(t, simdrv.Config{})
	b, err := d.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.View(0, 512)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Offload(); !errors.Is(err, gpumem.ErrInvalid) || !b.Valid() {
		t.Errorf("offloaded under a view: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := b.Offload()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Offload(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("offloaded twice: %v", err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if err := o.Close(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := (gpumem.Buffer{}).Offload(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("offloaded nothing: %v", err)
	}
	plain, err := gpumem.Open(noCopy{simdrv.New(simdrv.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	c, err := plain.Alloc(512)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Offload(); !errors.Is(err, errors.ErrUnsupported) || !c.Valid() {
		t.Errorf("offloaded with a driver that cannot copy: %v", err)
	}
	if err := errors.Join(c.Close(), plain.Close()); err != nil {
		t.Error(err)
	}
}
