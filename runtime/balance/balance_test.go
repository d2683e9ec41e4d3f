// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package balance_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/balance"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

const mib = 1 << 20

// devices gives one device for each capacity in MiB.
func devices(t *testing.T, capacities ...int64) (*balance.Balancer, []*gpumem.Device) {
	t.Helper()
	var list []*gpumem.Device
	for i, c := range capacities {
		list = append(list, gpumemtest.New(t, gpumemtest.Simulate(simdrv.Config{Ordinal: i, Name: fmt.Sprint("gpu", i), Capacity: c * mib, NoRaceCheck: true}),
			gpumemtest.With(gpumem.WithPressureGC(false))))
	}
	b, err := balance.New(list...)
	if err != nil {
		t.Fatal(err)
	}
	return b, list
}

func hold(t *testing.T, d *gpumem.Device, n int64) {
	t.Helper()
	b, err := d.Alloc(n * mib)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestPick(t *testing.T) {
	b, list := devices(t, 100, 300, 200)
	pick := func(n int64, want int) {
		t.Helper()
		d, err := b.Pick(n * mib)
		if err != nil || d != list[want] {
			t.Errorf("%d MiB: %v, %v, want gpu%d", n, d, err, want)
		}
	}
	pick(50, 1)
	hold(t, list[1], 150)
	pick(50, 2)
	hold(t, list[2], 110)
	pick(50, 1)
	pick(90, 1)
	// What is in the cache is room as well.
	c, err := list[0].Alloc(90 * mib)
	if err != nil {
		t.Fatal(err)
	}
	pick(90, 1)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	hold(t, list[1], 100)
	pick(90, 0)
	list[0].SetLimit(40 * mib)
	_, err = b.Pick(200 * mib)
	if !errors.Is(err, gpumem.ErrOutOfMemory) || !strings.Contains(err.Error(), "200.00 MiB fit on none of 3 devices") {
		t.Errorf("fits nowhere: %v", err)
	}
}

// TestPickSkipsFragments: the device with most room has it in pieces.
func TestPickSkipsFragments(t *testing.T) {
	b, list := devices(t, 200, 120)
	var all []gpumem.Buffer
	for range 20 {
		buf, err := list[0].Alloc(10 * mib)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buf)
	}
	for i := 0; i < len(all); i += 2 {
		if err := all[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	hold(t, list[1], 21)
	if rooms, err := b.Rooms(); err != nil || rooms[0].Device != list[0] || rooms[0].Free != 100*mib {
		t.Fatalf("rooms %+v, %v", rooms, err)
	}
	// Whole segments of 10 MiB are free; they can go back to the driver.
	if d, err := b.Pick(60 * mib); err != nil || d != list[0] {
		t.Errorf("60 MiB: %v, %v", d, err)
	}
	for i := 1; i < len(all); i += 2 {
		if err := all[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAlloc(t *testing.T) {
	b, list := devices(t, 100, 100, 100)
	var all []gpumem.Buffer
	for range 9 {
		buf, err := b.Alloc(30 * mib)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buf)
	}
	if i := balance.Imbalance(list...); i != 1 {
		t.Errorf("imbalance %v of buffers that were spread", i)
	}
	for r := range list[0].Live() {
		if f := r.Site.Frames(); len(f) == 0 || !strings.HasSuffix(f[0].Function, "balance_test.TestAlloc") {
			t.Errorf("a buffer is blamed on %v", r.Site)
		}
	}
	_, err := b.Alloc(30 * mib)
	var oom *gpumem.OOMError
	if !errors.As(err, &oom) || strings.Count(err.Error(), "out of memory on gpu") != 3 {
		t.Errorf("all are full: %v", err)
	}
	if _, err := b.Alloc(-1); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("a bad request: %v", err)
	}
	for _, buf := range all {
		if err := buf.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSplit(t *testing.T) {
	b, list := devices(t, 100, 300, 200)
	got := func(total int, each int64) (sizes []int, err error) {
		t.Helper()
		shares, err := b.Split(total, each)
		at := 0
		for i, s := range shares {
			if s.Device != list[i] || s.Start != at {
				t.Errorf("share %d: %+v, want it to begin at %d", i, s, at)
			}
			at += s.Size
			sizes = append(sizes, s.Size)
		}
		if err == nil && at != total {
			t.Errorf("%d examples of %d", at, total)
		}
		return sizes, err
	}
	for _, c := range []struct {
		total int
		each  int64
		want  string
	}{
		{60, mib, "[10 30 20]"},
		{61, mib, "[10 31 20]"},
		{600, mib, "[100 300 200]"},
		{7, 0, "[1 4 2]"},
		{0, mib, "[0 0 0]"},
		{5, 90 * mib, "[1 2 2]"},
	} {
		sizes, err := got(c.total, c.each)
		if err != nil || fmt.Sprint(sizes) != c.want {
			t.Errorf("split of %d: %v, %v, want %s", c.total, sizes, err, c.want)
		}
	}
	if _, err := got(601, mib); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := got(-1, mib); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("a negative batch: %v", err)
	}
	hold(t, list[1], 250)
	if sizes, err := got(35, mib); err != nil || fmt.Sprint(sizes) != "[10 5 20]" {
		t.Errorf("split around what is held: %v, %v", sizes, err)
	}
}

func TestImbalance(t *testing.T) {
	_, list := devices(t, 100, 100, 100, 100)
	if i := balance.Imbalance(list...); i != 1 {
		t.Errorf("nothing allocated: %v", i)
	}
	hold(t, list[2], 40)
	if i := balance.Imbalance(list...); i != 4 {
		t.Errorf("all on one of four: %v", i)
	}
	hold(t, list[0], 20)
	hold(t, list[1], 20)
	if i := balance.Imbalance(list...); i != 2 {
		t.Errorf("40 of 80 on one of four: %v", i)
	}
	if _, err := balance.New(); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("no devices: %v", err)
	}
}

func ExampleBalancer_Split() {
	var devices []*gpumem.Device
	for i, capacity := range []int64{8 << 30, 24 << 30} {
		d, err := gpumem.Open(simdrv.New(simdrv.Config{Ordinal: i, Capacity: capacity}))
		if err != nil {
			fmt.Println(err)
			return
		}
		defer d.Close()
		devices = append(devices, d)
	}
	b, err := balance.New(devices...)
	if err != nil {
		fmt.Println(err)
		return
	}
	shares, err := b.Split(256, 50<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range shares {
		fmt.Println(s.Device.Info().Ordinal, s.Start, s.Size)
	}
	fmt.Println(balance.Imbalance(devices...))
	// Output:
	// 0 0 64
	// 1 64 192
	// 1
}
