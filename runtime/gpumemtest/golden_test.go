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
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
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
	if got != file+": peak_allocated_bytes is 36801024, over the budget of 36800512 by 512"+
		"\n\t+512 B github.com/gpumemlint/gpumemlint/runtime/gpumemtest_test.inference (35.10 MiB → 35.10 MiB)" {
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

// TestGoldenDiff grows a program in three ways; each message has the functions
// that did it, the largest growth first.
func TestGoldenDiff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.budget")
	run := func(extra int64, keep bool) (*gpumem.Device, *recorder) {
		r := record(t)
		d := gpumemtest.New(r, gpumemtest.Simulate(simdrv.Config{Ordinal: 3})) // not the first
		weights := must(d.Alloc(8*mib, gpumem.At(gpumem.RegisterSite("model.load"))))
		for range 3 {
			act := must(d.Alloc(2*mib+extra, gpumem.At(gpumem.RegisterSite("model.forward"))))
			tmp := must(d.Alloc(mib+extra/4, gpumem.At(gpumem.RegisterSite("model.scratch"))))
			mustClose(t, tmp)
			mustClose(t, act)
		}
		if keep {
			must(d.Alloc(4*mib, gpumem.At(gpumem.RegisterSite("cache.Append"))))
		}
		mustClose(t, weights)
		return d, r
	}
	setFlag(t, "gpumem.update", "true")
	before, _ := run(0, false)
	gpumemtest.Golden(t, file, before)
	setFlag(t, "gpumem.update", "false")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nsite 8388608 0 1 model.load\nsite 2097152 0 3 model.forward\nsite 1048576 0 3 model.scratch\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	d, r := run(mib, false)
	gpumemtest.Golden(r, file, d)
	if got := strings.Join(r.errors, "\n"); !strings.Contains(got, "peak_allocated_bytes is 12845056, over the budget of 11534336 by 1310720"+
		"\n\t+1.00 MiB model.forward (2.00 MiB → 3.00 MiB)\n\t+256.00 KiB model.scratch (1.00 MiB → 1.25 MiB)") {
		t.Errorf("a larger peak: %s", got)
	}
	d, r = run(0, true)
	gpumemtest.Golden(r, file, d)
	got := strings.Join(r.errors, "\n")
	for _, want := range []string{
		"live_bytes is 4194304, over the budget of 0 by 4194304\n\t+4.00 MiB cache.Append (0 B → 4.00 MiB)",
		"live_allocations is 1, over the budget of 0 by 1\n\t+4.00 MiB cache.Append (0 B → 4.00 MiB)",
		"allocations is 8, over the budget of 7 by 1\n\t+1 cache.Append (0 → 1)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if err := os.WriteFile(file, []byte("peak_allocated_bytes 1\nsite 1 two 3 f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = record(t)
	gpumemtest.Golden(r, file, before)
	if got := r.finish(); !strings.Contains(got, "m.budget:2: want site, three numbers and a function") {
		t.Errorf("a broken file: %q", got)
	}
}

// TestGoldenWithoutSites reads budgets that have none, and writes none where the
// device has forgotten the beginning.
func TestGoldenWithoutSites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.budget")
	d := gpumemtest.New(t, gpumemtest.With(gpumem.WithHistory(4)))
	inference(t, d, 0)
	setFlag(t, "gpumem.update", "true")
	gpumemtest.Golden(t, file, d)
	setFlag(t, "gpumem.update", "false")
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "site ") {
		t.Errorf("%v, and the sites of a part of the history in\n%s", err, text)
	}
	more := gpumemtest.New(t)
	inference(t, more, 512)
	r := record(t)
	gpumemtest.Golden(r, file, more)
	if got := r.finish(); !strings.Contains(got, "by 512; most by golden_test.go:") {
		t.Errorf("512 bytes more: %q", got)
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
