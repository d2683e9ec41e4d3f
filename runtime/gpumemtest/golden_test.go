// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
)

// inference is work whose memory testdata/inference.budget holds down.
func inference(t testing.TB, d *gpumem.Device, extra int64) {
	weights := must(d.Alloc(30 * mib))
	for range 4 {
		act := must(d.Alloc(5*mib + extra))
		out := must(d.Alloc(100_000))
		mustClose(t, out)
		mustClose(t, act)
	}
	mustClose(t, weights)
}

func TestGoldenHolds(t *testing.T) {
	d := gpumemtest.New(t)
	inference(t, d, 0)
	gpumemtest.Golden(t, filepath.Join("testdata", "inference.budget"), d)
}

func TestGoldenNamesWhatGrew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "m.budget")
	d := gpumemtest.New(t)
	inference(t, d, 0)

	r := record(t)
	gpumemtest.Golden(r, file, d)
	if got := r.finish(); !strings.Contains(got, "there is no memory budget") {
		t.Errorf("no file: %q", got)
	}
	setFlag(t, "gpumem.update", "true")
	gpumemtest.Golden(t, file, d)
	setFlag(t, "gpumem.update", "false")
	gpumemtest.Golden(t, file, d)

	more := gpumemtest.New(t)
	inference(t, more, 512)
	r = record(t)
	gpumemtest.Golden(r, file, more)
	got := r.finish()
	if !strings.Contains(got, "peak_allocated_bytes is 36801024, over the budget of 36800512 by 512; most by golden_test.go:") ||
		strings.Count(got, "\n") > 0 {
		t.Errorf("512 bytes more: %q", got)
	}
	r = record(t)
	gpumemtest.Golden(r, file, more, gpumemtest.Tolerance(512))
	if got := r.finish(); got != "" {
		t.Errorf("with a tolerance: %q", got)
	}

	less := gpumemtest.New(t)
	r = record(t)
	gpumemtest.Golden(r, file, less)
	if got := r.finish(); got != "" || !strings.Contains(strings.Join(r.logs, "\n"), "peak_allocated_bytes is 0, 36800512 under the budget") {
		t.Errorf("less than before: %q, logged %q", got, r.logs)
	}

	if err := os.WriteFile(file, []byte("allocations 9\npeak_reserved_bytes much\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = record(t)
	gpumemtest.Golden(r, file, d)
	if got := r.finish(); !strings.Contains(got, "m.budget:2: want a name and a number") {
		t.Errorf("a broken file: %q", got)
	}
	if err := os.WriteFile(file, []byte("allocations 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = record(t)
	gpumemtest.Golden(r, file, d, gpumemtest.Tolerance(1<<40))
	if got := r.finish(); !strings.Contains(got, "allocations is 9, over the budget of 5 by 4") || !strings.Contains(got, "no line for live_bytes") {
		t.Errorf("counts have no tolerance: %q", got)
	}
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

func TestMetricsOfABenchmark(t *testing.T) {
	result := testing.Benchmark(func(b *testing.B) {
		d := gpumemtest.New(b)
		weights := must(d.Alloc(30 * mib))
		report := gpumemtest.Metrics(b, d)
		for b.Loop() {
			mustClose(b, must(d.Alloc(2*mib)))
			mustClose(b, must(d.Alloc(mib)))
		}
		report()
		mustClose(b, weights)
	})
	for name, want := range map[string]float64{"peak-B": 32 * mib, "gpu-B/op": 3 * mib, "gpu-allocs/op": 2} {
		if got := result.Extra[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if _, ok := result.Extra["driver-calls/op"]; !ok {
		t.Error("no driver-calls/op")
	}
}

// TestMainIsVerified runs this test binary again with a TestMain that leaks.
func TestMainIsVerified(t *testing.T) {
	for _, c := range []struct {
		mode, want string
		status     int
	}{
		{"clean", "", 0},
		{"leak", "gpumemtest: after the tests: found unexpected GPU allocations:\n[1 buffer, 3.00 MiB] leaked at leak_test.go:", 1},
		{"fail", "", 7},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "GPUMEMTEST_MAIN="+c.mode)
		out, err := cmd.CombinedOutput()
		status := cmd.ProcessState.ExitCode()
		if status != c.status || c.want != "" && !strings.Contains(string(out), c.want) || c.want == "" && strings.Contains(string(out), "gpumemtest:") {
			t.Errorf("%s: status %d (%v), want %d and %q, got\n%s", c.mode, status, err, c.status, c.want, out)
		}
	}
}
