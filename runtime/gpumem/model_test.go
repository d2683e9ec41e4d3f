// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

const mib = int64(1) << 20

// setting is one way to open a device.
type setting struct {
	name   string
	policy gpumem.Policy
	conf   string
}

var settings = []setting{
	{"best", gpumem.PolicyBest, ""},
	{"best, mapped", gpumem.PolicyBest, "expandable_segments:True"},
	{"pytorch", gpumem.PolicyPyTorch, ""},
	{"pytorch, mapped", gpumem.PolicyPyTorch, "expandable_segments:True"},
	{"pytorch, max split", gpumem.PolicyPyTorch, "max_split_size_mb:32"},
	{"pytorch, rounding", gpumem.PolicyPyTorch, "roundup_power2_divisions:[1:8,4:4,>:2]"},
	{"pytorch, collector", gpumem.PolicyPyTorch, "garbage_collection_threshold:0.5"},
}

// naive is the simplest allocator's book: every buffer that is open, and the
// sums that a device must give.
type naive struct {
	open            []opened
	bytes, peak     int64
	requested, held int64
}

type opened struct {
	buf gpumem.Buffer
	tag byte
}

func (n *naive) add(b gpumem.Buffer) error {
	if b.Ptr()%512 != 0 {
		return fmt.Errorf("%v is not aligned", b.Ptr())
	}
	for _, o := range n.open {
		if b.Ptr() < o.buf.Ptr()+gpumem.Ptr(o.buf.Cap()) && o.buf.Ptr() < b.Ptr()+gpumem.Ptr(b.Cap()) {
			return fmt.Errorf("buffers at %v and %v overlap", b.Ptr(), o.buf.Ptr())
		}
	}
	n.open = append(n.open, opened{buf: b})
	n.bytes += b.Cap()
	n.requested += b.Len()
	n.peak = max(n.peak, n.bytes)
	n.held++
	return nil
}

func (n *naive) remove(i int) gpumem.Buffer {
	b := n.open[i].buf
	n.open = slices.Delete(n.open, i, i+1)
	n.bytes -= b.Cap()
	n.requested -= b.Len()
	return b
}

// compare checks a device's statistics against the book.
func (n *naive) compare(d *gpumem.Device) error {
	var s gpumem.Stats
	d.ReadStats(&s)
	switch {
	case s.Allocation.All.Current != int64(len(n.open)) || s.AllocatedBytes.All.Current != n.bytes:
		return fmt.Errorf("device holds %d buffers of %d bytes, want %d of %d", s.Allocation.All.Current,
			s.AllocatedBytes.All.Current, len(n.open), n.bytes)
	case s.AllocatedBytes.All.Peak != n.peak:
		return fmt.Errorf("peak is %d, want %d", s.AllocatedBytes.All.Peak, n.peak)
	case s.Allocation.All.Allocated != n.held:
		return fmt.Errorf("%d buffers were ever allocated, want %d", s.Allocation.All.Allocated, n.held)
	case s.ReservedBytes.All.Current < s.ActiveBytes.All.Current:
		return fmt.Errorf("%d bytes reserved for %d active", s.ReservedBytes.All.Current, s.ActiveBytes.All.Current)
	}
	return nil
}

// play runs a program, two bytes an operation, against the book. It is what
// the fuzz test and the seeded tests share.
func play(program []byte, o setting) error {
	sim := simdrv.New(simdrv.Config{Capacity: 512 * mib})
	d, err := gpumem.Open(sim, gpumem.WithPolicy(o.policy), gpumem.WithConf(o.conf), gpumem.WithLimit(400*mib),
		gpumem.WithPressureGC(false), gpumem.WithHistory(64))
	if err != nil {
		return err
	}
	streams := []*gpumem.Stream{d.DefaultStream()}
	for range 2 {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		streams = append(streams, s)
	}
	var n naive
	for i := 0; i+1 < len(program); i += 2 {
		op, arg := program[i], program[i+1]
		s := streams[int(op>>3)%len(streams)]
		if err := step(d, sim, s, &n, streams, op&7, arg); err != nil {
			return fmt.Errorf("operation %d: %w", i/2, err)
		}
		if err := n.compare(d); err != nil {
			return fmt.Errorf("operation %d: %w", i/2, err)
		}
		if i%32 == 0 {
			if err := gpumem.Check(d); err != nil {
				return fmt.Errorf("operation %d: %w", i/2, err)
			}
		}
	}
	for len(n.open) > 0 {
		if err := n.remove(len(n.open) - 1).Close(); err != nil {
			return err
		}
	}
	for _, s := range streams[1:] {
		if err := s.Close(); err != nil {
			return err
		}
	}
	if err := gpumem.Check(d); err != nil {
		return err
	}
	if r := sim.Races(); len(r) > 0 {
		return fmt.Errorf("%d races, the first: %v", len(r), r[0])
	}
	return d.Close() // the simulated device complains about what is left
}

func step(d *gpumem.Device, sim *simdrv.Device, s *gpumem.Stream, n *naive, streams []*gpumem.Stream, op, arg byte) error {
	switch op {
	case 0, 1, 2: // sizes from bytes to tens of MiB
		size := int64(arg%16) << (2 * (arg / 16)) * 7 / 5
		b, err := d.Alloc(size, gpumem.On(s))
		if errors.Is(err, gpumem.ErrOutOfMemory) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := sim.Launch(s.Handle(), 1000, b.Ptr(), b.Len()); err != nil {
			return err
		}
		return n.add(b)
	case 3, 4, 5:
		if len(n.open) == 0 {
			return nil
		}
		return n.remove(int(arg) % len(n.open)).Close()
	case 6: // used on another stream
		if len(n.open) == 0 {
			return nil
		}
		b := n.open[int(arg)%len(n.open)].buf
		other := streams[int(arg)%len(streams)]
		if err := sim.Launch(other.Handle(), 5000, b.Ptr(), b.Len()); err != nil {
			return err
		}
		return b.UsedOn(other)
	default:
		if arg%8 == 0 {
			_, err := d.Trim(int64(arg) * mib / 4)
			return err
		}
		sim.Advance(2000)
		return nil
	}
}

// FuzzModel looks for a program after which a device and the naive book differ.
func FuzzModel(f *testing.F) {
	f.Add([]byte{0, 0x55, 1, 0xa5, 3, 0, 8, 0xb4, 6, 1, 3, 0, 7, 0})
	f.Add([]byte{0, 0xb5, 0, 0xb5, 0, 0xb5, 3, 1, 16, 0xb3, 6, 0, 3, 0, 3, 0, 7, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 4096 {
			return
		}
		for _, o := range settings {
			if err := play(program, o); err != nil {
				t.Fatalf("%s: %v", o.name, err)
			}
		}
	})
}

// TestModel runs random programs through every setting.
func TestModel(t *testing.T) {
	for _, o := range settings {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			for seed := range 12 {
				if err := play(randomProgram(seed, 1600), o); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// randomProgram is reproducible.
func randomProgram(seed, n int) []byte {
	out := make([]byte, n)
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x >> 24)
	}
	return out
}
