// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"reflect"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
)

// TestPeakByTag counts tags at the peak, of what was made before the history
// and in it, freed since and alive.
func TestPeakByTag(t *testing.T) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithHistory(8))
	if err != nil {
		t.Fatal(err)
	}
	take := func(tag string, n int64) gpumem.Buffer {
		t.Helper()
		b, err := d.Alloc(n<<20, gpumem.Tag(tag))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	all := []gpumem.Buffer{take("weights/v1", 100), take("", 7)}
	for range 10 { // push the above out of the history
		if err := take("scratch", 1).Close(); err != nil {
			t.Fatal(err)
		}
	}
	pre := take("preprocess", 30)
	all = append(all, take("activations", 50))
	if err := pre.Close(); err != nil {
		t.Fatal(err)
	}
	all = append(all, take("activations", 4))
	got := profile.PeakByTag(profile.Take(d), 0)
	want := []profile.SiteBytes{{Name: "weights/v1", Bytes: 100 << 20}, {Name: "activations", Bytes: 50 << 20}, {Name: "preprocess", Bytes: 30 << 20}, {Name: "", Bytes: 7 << 20}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, b := range all {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
