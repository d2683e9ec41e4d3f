// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package baseline_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/baseline"
	"github.com/gpumemlint/gpumemlint/internal/output"
)

func finding(function string, line int) output.Finding {
	return output.Finding{Rule: "GM101", Package: "p", Function: function, Line: line, Message: "lost (line 3)"}
}

func TestOf(t *testing.T) {
	got := baseline.Of([]output.Finding{finding("g", 1), finding("f", 2), finding("g", 3)})
	want := []baseline.Entry{
		{Rule: "GM101", Package: "p", Function: "f", Message: "lost (line N)", Count: 1},
		{Rule: "GM101", Package: "p", Function: "g", Message: "lost (line N)", Count: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestApply(t *testing.T) {
	entries := baseline.Of([]output.Finding{finding("f", 1), finding("g", 2), finding("g", 3)})
	fresh, stale := baseline.Apply([]output.Finding{finding("f", 1), finding("f", 5), finding("g", 9), finding("h", 9)}, entries)
	if want := []output.Finding{finding("f", 5), finding("h", 9)}; !reflect.DeepEqual(fresh, want) {
		t.Errorf("fresh %+v, want %+v", fresh, want)
	}
	if want := []baseline.Entry{{Rule: "GM101", Package: "p", Function: "g", Message: "lost (line N)", Count: 1}}; !reflect.DeepEqual(stale, want) {
		t.Errorf("stale %+v, want %+v", stale, want)
	}
}

func TestWriteRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.json")
	want := baseline.Of([]output.Finding{finding("f", 1), finding("g", 2)})
	if err := baseline.Write(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := baseline.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}
