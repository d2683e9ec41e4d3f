// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/nvml"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

// fakeDriver is a machine.
type fakeDriver struct {
	devices []nvml.Device
	err     error
	closed  bool
}

func (f *fakeDriver) Devices() ([]nvml.Device, error) { return f.devices, f.err }
func (f *fakeDriver) Driver() string                  { return "580.95.05" }
func (f *fakeDriver) Close() error                    { f.closed = true; return nil }

const gib = 1 << 30

// machine has a GPU, and one that is cut in two.
func machine() *fakeDriver {
	return &fakeDriver{devices: []nvml.Device{
		{Index: 0, UUID: "GPU-a", Name: "NVIDIA H200", Utilization: 37, Temperature: 41,
			Memory:    nvml.Memory{Total: 140 * gib, Reserved: gib / 2, Used: 35 * gib, Free: 104 * gib},
			Processes: []nvml.Process{{PID: 4711, Name: "train", Used: 30 * gib}, {PID: 99, Name: "evil\x1b[2Jname", Used: -1}}},
		{Index: 1, UUID: "GPU-b", Name: "NVIDIA H200", Utilization: -1, Temperature: 39, MIG: true,
			Memory:    nvml.Memory{Total: 140 * gib, Used: 3 * gib, Free: 137 * gib},
			Processes: []nvml.Process{{PID: 7, Name: "infer", Used: 3 * gib}},
			Instances: []nvml.Device{{Index: 4, UUID: "MIG-c", Name: "NVIDIA H200 MIG 3g.71gb", Utilization: -1, Temperature: -1,
				Memory: nvml.Memory{Total: 70 * gib, Used: 3 * gib, Free: 67 * gib}, Processes: []nvml.Process{{PID: 7, Name: "infer", Used: 3 * gib}}}}},
	}}
}

// gpuProgram serves the status of one simulated device, with the UUID of one of
// the machine's.
func gpuProgram(t *testing.T, cfg simdrv.Config) (address string, d *gpumem.Device) {
	t.Helper()
	cfg.NoRaceCheck = true
	d, err := gpumem.Open(simdrv.New(cfg), gpumem.WithTracking(gpumem.TrackSite), gpumem.WithPolicy(gpumem.PolicyPyTorch))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(status.Handler(func() []*gpumem.Device { return []*gpumem.Device{d} }))
	t.Cleanup(func() {
		srv.Close()
		if err := d.Close(); err != nil && !errors.Is(err, gpumem.ErrLeak) {
			t.Error(err)
		}
	})
	return strings.TrimPrefix(srv.URL, "http://"), d
}

func take(t *testing.T, d *gpumem.Device, n int64, site string) gpumem.Buffer {
	t.Helper()
	b, err := d.Alloc(n, gpumem.At(gpumem.RegisterSite(site)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// runWith runs a command on a machine; drv nil is one without a driver.
func runWith(drv *fakeDriver, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := &environment{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs, openDriver: func() (driver, error) {
		if drv == nil {
			return nil, fmt.Errorf("%w: no library libnvidia-ml.so.1", nvml.ErrUnavailable)
		}
		return drv, nil
	}}
	status = env.run(args)
	return status, out.String(), errs.String()
}

var (
	clock   = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	process = regexp.MustCompile(`gpumem\.test \(\d+\)|\(gpumem\.test \d+\)|gpumem\.test/\d+`)
	perMin  = regexp.MustCompile(` +[-+][\d.]+ [KMGT]?i?B/min`)
)

// scrub takes out of a text what differs from run to run.
func scrub(text string) string {
	text = clock.ReplaceAllString(text, "12:00:00")
	text = perMin.ReplaceAllString(text, "         +0 B/min")
	return process.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.Contains(s, "/"):
			return "prog/4711"
		case strings.HasPrefix(s, "("):
			return "(prog 4711)"
		}
		return "prog (4711)"
	})
}

// golden compares with a file of testdata/top, or rewrites it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "top", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// TestTopForms runs top once in each form on the same machine and programs.
func TestTopForms(t *testing.T) {
	address, d := gpuProgram(t, simdrv.Config{Capacity: 140 * gib, UUID: "GPU-a", Name: "NVIDIA H200"})
	take(t, d, 20*gib, "model.go:31 model.New")
	take(t, d, 8*gib, "cache.go:88 cache.Append")
	if err := take(t, d, 4*gib, "batch.go:12 batch.Load").Close(); err != nil {
		t.Fatal(err)
	}
	part, e := gpuProgram(t, simdrv.Config{Capacity: 70 * gib, UUID: "GPU-c", Name: "part"}) // CUDA's spelling of MIG-c
	take(t, e, 69*gib, "infer.go:5 infer.weights")
	for name, args := range map[string][]string{
		"table.txt": {"top", address, part},
		"color.txt": {"top", "-color", "always", address, part},
		"line.txt":  {"top", "-line", address, part},
	} {
		drv := machine()
		status, out, errs := runWith(drv, args...)
		if status != exitOK || errs != "" || !drv.closed {
			t.Errorf("%s: status %d, %q, driver closed: %v", name, status, errs, drv.closed)
		}
		golden(t, name, scrub(out))
	}
	_, out, _ := runWith(machine(), "top", "-json", address, part)
	var m moment
	if err := json.Unmarshal([]byte(out), &m); err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("-json: %v in %q", err, out)
	}
	if m.Version != 1 || len(m.Devices) != 2 || len(m.Devices[1].Instances) != 1 || len(m.Programs) != 2 || m.Devices[0].Processes[1].Used != -1 ||
		m.Programs[0].Status.Devices[0].Allocated != 28*gib || len(m.Programs[0].Growth) != 2 || m.Programs[0].Growth[0].Site != "model.go:31 model.New" {
		t.Errorf("-json: %+v", m)
	}
}

// TestTableFits checks that no line is wider than the terminal, whatever it is
// and whatever processes call themselves.
func TestTableFits(t *testing.T) {
	address, d := gpuProgram(t, simdrv.Config{Capacity: 140 * gib, UUID: "GPU-a"})
	take(t, d, 20*gib, "somewhere.go:31 "+strings.Repeat("very", 60)+"Long")
	w := newWatch([]string{"http://" + address + status.Path}, 10)
	w.drv = machine()
	m := w.sample(context.Background(), time.Second)
	for _, color := range []bool{false, true} {
		for width := 20; width < 260; width += 7 {
			for _, line := range table(m, style{color: color, width: width}) {
				if n := columnsOf(line); n > width {
					t.Fatalf("width %d: a line of %d columns: %q", width, n, line)
				}
				if strings.Contains(line, "\x1b[2J") {
					t.Fatalf("a process's name reaches the terminal as it is: %q", line)
				}
				if color && strings.Count(line, "\x1b[") != 2*strings.Count(line, "\x1b[0m") {
					t.Fatalf("width %d: a colour does not end: %q", width, line)
				}
			}
		}
	}
}

// TestTopSeesGrowth watches a program that leaks at one site, has a cache that
// is full at another, and works at a third.
func TestTopSeesGrowth(t *testing.T) {
	address, d := gpuProgram(t, simdrv.Config{Capacity: 8 * gib})
	w := newWatch([]string{"http://" + address + status.Path}, 10)
	take(t, d, 64<<20, "model.go:31 model.New")
	var m *moment
	for step := range 60 {
		take(t, d, 4096, "leak.go:7 leak")
		var batch []gpumem.Buffer
		for range step % 4 {
			batch = append(batch, take(t, d, 1<<20, "batch.go:12 load"))
		}
		m = w.sample(context.Background(), time.Minute)
		for _, b := range batch {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := m.Programs[0]
	if p.Error != "" || len(p.Growth) < 2 {
		t.Fatalf("%+v", p)
	}
	if g := p.Growth[0]; !g.Rising || g.Site != "leak.go:7 leak" || g.Count != 60 || g.CountGrowth != 59 || g.BytesGrowth != 59*4096 || g.BytesPerMinute <= 0 {
		t.Errorf("the leak is shown as %+v", g)
	}
	for _, g := range p.Growth[1:] {
		if g.Rising {
			t.Errorf("no leak, and rising: %+v", g)
		}
	}
	text := strings.Join(table(m, style{width: 120}), "\n")
	if !regexp.MustCompile(`(?m)^↑ +240.00 KiB +60 +\+\S+ \S+/min +\+59  leak\.go:7 leak$`).MatchString(text) {
		t.Errorf("no line for the leak in\n%s", text)
	}
}

// TestSitesOfSeveralDevices says on which device a call site holds what.
func TestSitesOfSeveralDevices(t *testing.T) {
	a, b := status.Device{Ordinal: 0, Allocs: 1}, status.Device{Ordinal: 3, Allocs: 1}
	a.Sites = []status.Site{{Site: "w.go:1 load", Count: 1, Bytes: 1024}}
	b.Sites = []status.Site{{Site: "w.go:1 load", Count: 2, Bytes: 4096}}
	p := &watched{sites: map[siteKey]*series{}}
	st := &status.Program{PID: 1, Name: "p", Time: time.Unix(1, 0), Devices: []status.Device{a, b}}
	p.remember(st)
	text := strings.Join(table(&moment{Programs: []program{{Status: st, Growth: p.grown(10)}}}, style{width: 120}), "\n")
	for _, want := range []string{"w.go:1 load  on device 0\n", "w.go:1 load  on device 3\n"} {
		if !strings.Contains(text+"\n", want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestRestartBeginsAnew: a program that was started again has not grown.
func TestRestartBeginsAnew(t *testing.T) {
	p := &watched{sites: map[siteKey]*series{}}
	at := time.Unix(0, 0)
	see := func(pid int, allocs, count int64) growth {
		at = at.Add(time.Second)
		p.remember(&status.Program{PID: pid, Time: at, Devices: []status.Device{{Allocs: allocs, Sites: []status.Site{{Site: "a", Count: count, Bytes: count * 512}}}}})
		return p.grown(1)[0]
	}
	see(1, 10, 5)
	if g := see(1, 20, 9); g.CountGrowth != 4 {
		t.Errorf("growth %+v, want 4", g)
	}
	if g := see(2, 30, 50); g.CountGrowth != 0 {
		t.Errorf("another process: growth %+v, want none", g)
	}
	if g := see(2, 3, 2); g.CountGrowth != 0 {
		t.Errorf("the same number, started again: growth %+v, want none", g)
	}
	for i := range 500 {
		if g := see(2, 4, int64(2+i%2)); g.Rising {
			t.Fatalf("up and down is taken for a leak: %+v", g)
		}
	}
}

// TestTopWithout checks what top says where something is missing.
func TestTopWithout(t *testing.T) {
	if status, out, errs := runWith(nil, "top"); status != exitFailed || out != "" ||
		errs != "gpumem top: NVML is not available: no library libnvidia-ml.so.1; the address of a program that calls metrics.Register shows its allocator alone\n" {
		t.Errorf("no driver: status %d, %q, %q", status, out, errs)
	}
	address, d := gpuProgram(t, simdrv.Config{Capacity: 8 * gib, Name: "demo GPU"})
	take(t, d, 1*gib, "a.go:1 a")
	status, out, errs := runWith(nil, "top", address)
	if status != exitOK || errs != "" {
		t.Errorf("no driver, a program: status %d, %q", status, errs)
	}
	golden(t, "nodriver.txt", scrub(out))
	status, out, _ = runWith(machine(), "top", "127.0.0.1:1")
	if status != exitOK || !strings.Contains(out, "connection refused") || !strings.Contains(out, "GPU 0 NVIDIA H200") {
		t.Errorf("a program that is not there: status %d\n%s", status, out)
	}
	broken := machine()
	broken.err = errors.Join(errors.New("device 0: NVML: gpu is lost"), errors.New("device 1: NVML: gpu is lost"))
	status, out, _ = runWith(broken, "top")
	if status != exitOK || !strings.Contains(out, "no driver's view: device 0: NVML: gpu is lost; device 1") {
		t.Errorf("a driver that fails: status %d\n%s", status, out)
	}
}

func TestTopUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"shorter than 100ms":  {"-interval", "1ms"},
		"ask for one":         {"-json", "-line"},
		"not auto, always":    {"-color", "mauve"},
		"are not negative":    {"-n", "-1"},
		"is not an address":   {"ftp://x"},
		"flag provided but n": {"-nonsense"},
	} {
		status, _, errs := runWith(machine(), append([]string{"top"}, args...)...)
		if status != exitUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d, %q, want %q", args, status, errs, want)
		}
	}
}

// TestTopRepeats prints as often as it was asked for, and stops when told to.
func TestTopRepeats(t *testing.T) {
	_, out, _ := runWith(machine(), "top", "-line", "-n", "3", "-interval", "100ms")
	if n := strings.Count(out, "[0] NVIDIA H200"); n != 3 {
		t.Errorf("%d times, want 3:\n%s", n, out)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var out2 bytes.Buffer
	env := &environment{ctx: ctx, stdout: writerFunc(func(p []byte) (int, error) { cancel(); return out2.Write(p) }),
		stderr: &out2, openDriver: func() (driver, error) { return machine(), nil }}
	if status := env.run([]string{"top", "-json", "-n", "1000000"}); status != exitOK || strings.Count(out2.String(), "\n") != 1 {
		t.Errorf("stopped after the first: status %d, %q", status, out2.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
