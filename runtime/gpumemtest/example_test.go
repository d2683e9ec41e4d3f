// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

// Embed is the code under test.
func embed(d *gpumem.Device, n int64) error {
	b, err := d.Alloc(n, gpumem.Tag("embedding"))
	if err != nil {
		return err
	}
	return b.Close()
}

func ExampleNew() {
	_ = func(t *testing.T) { // func TestEmbed(t *testing.T)
		t.Parallel()
		d := gpumemtest.New(t) // the test fails if embed forgets something
		if err := embed(d, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
}

func ExampleVerifyNone() {
	var d *gpumem.Device     // opened by the package under test
	_ = func(t *testing.T) { // func TestEmbed(t *testing.T)
		defer gpumemtest.VerifyNone(t, gpumemtest.Devices(d), gpumemtest.IgnoreCurrent())
		if err := embed(d, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
}

func ExampleVerifyTestMain() {
	_ = func(m *testing.M) { // func TestMain(m *testing.M)
		gpumemtest.VerifyTestMain(m, gpumemtest.IgnoreTag("weights"))
	}
}

func ExampleGolden() {
	_ = func(t *testing.T) { // func TestEmbedBudget(t *testing.T)
		d := gpumemtest.New(t)
		if err := embed(d, 1<<20); err != nil {
			t.Fatal(err)
		}
		gpumemtest.Golden(t, "testdata/embed.budget", d, gpumemtest.Tolerance(64<<10))
	}
}

func ExampleMetrics() {
	_ = func(b *testing.B) { // func BenchmarkEmbed(b *testing.B)
		d := gpumemtest.New(b)
		report := gpumemtest.Metrics(b, d)
		for b.Loop() {
			if err := embed(d, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
		report()
	}
}

func ExampleFind() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(1<<20, gpumem.At(gpumem.RegisterSite("cache.go:41 load")), gpumem.Tag("cache"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := gpumemtest.Find(gpumemtest.Devices(d)).Error()
	fmt.Println(strings.Join(strings.Split(text, "\n")[:2], "\n"))
	fmt.Println(b.Close(), d.Close())
	// Output:
	// found unexpected GPU allocations:
	// [1 buffer, 1.00 MiB] leaked at cache.go:41 load (rule GM102)
	// <nil> <nil>
}
