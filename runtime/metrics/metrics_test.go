// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/metrics"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

func open(t *testing.T, drv gpumem.Driver, opts ...gpumem.Option) *gpumem.Device {
	t.Helper()
	d, err := gpumem.Open(drv, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !errors.Is(err, gpumem.ErrClosed) {
			t.Error(err)
		}
	})
	return d
}

func alloc(t *testing.T, d *gpumem.Device, n int64, opts ...gpumem.AllocOption) gpumem.Buffer {
	t.Helper()
	b, err := d.Alloc(n, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func close1(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// gather reads all series as "name{labels}" to value, as a server would.
func gather(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				if l.GetName() != "uuid" && l.GetName() != "hw_id" {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			key := fmt.Sprintf("%s{%s}", f.GetName(), strings.Join(labels, ","))
			switch {
			case m.GetGauge() != nil:
				out[key] = m.GetGauge().GetValue()
			case m.GetCounter() != nil:
				out[key] = m.GetCounter().GetValue()
			case m.GetHistogram() != nil:
				out[key] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return out
}

// contract are the metrics that dashboards and alert rules of others rely on.
var contract = []string{
	"gpumem_allocated_bytes", "gpumem_active_bytes", "gpumem_requested_bytes", "gpumem_reserved_bytes", "gpumem_inactive_split_bytes",
	"gpumem_peak_allocated_bytes", "gpumem_peak_reserved_bytes", "gpumem_limit_bytes", "gpumem_largest_free_block_bytes",
	"gpumem_live_allocations", "gpumem_segments", "gpumem_fragmentation_ratio", "gpumem_device_total_bytes", "gpumem_device_used_bytes",
	"gpumem_process_used_bytes", "gpumem_outside_bytes", "gpumem_allocations_total", "gpumem_frees_total", "gpumem_allocated_bytes_total",
	"gpumem_freed_bytes_total", "gpumem_cache_hits_total", "gpumem_cache_misses_total", "gpumem_driver_allocs_total",
	"gpumem_driver_frees_total", "gpumem_alloc_retries_total", "gpumem_ooms_total", "gpumem_gc_runs_total", "gpumem_trims_total",
	"gpumem_finalizer_frees_total", "gpumem_alloc_duration_seconds", "gpumem_build_info",
}

// full is a collector that shows everything it has, on a device that has
// something of everything.
func full(t *testing.T) (*metrics.Collector, *gpumem.Device) {
	d := open(t, simdrv.New(simdrv.Config{Capacity: 1 << 30, Foreign: 100 << 20}), gpumem.WithLimit(512<<20), gpumem.WithPolicy(gpumem.PolicyPyTorch))
	c := metrics.New(metrics.Devices(d), metrics.WithOTelNames(), metrics.WithView(func(string) (total, used, process int64, err error) {
		return 1 << 30, 300 << 20, 150 << 20, nil
	}))
	pool, err := d.NewPool("weights")
	if err != nil {
		t.Fatal(err)
	}
	small, large, weights := alloc(t, d, 1000), alloc(t, d, 3<<20), alloc(t, d, 30<<20, gpumem.In(pool))
	close1(t, alloc(t, d, 100<<20))
	for range 40 * gpumem.HitSample {
		close1(t, alloc(t, d, 5<<20))
	}
	if _, err := d.Alloc(1 << 30); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Fatalf("1 GiB with a limit of 512 MiB: %v", err)
	}
	t.Cleanup(func() { close1(t, small); close1(t, large); close1(t, weights); close1(t, pool) })
	return c, d
}

func TestNamesAndLint(t *testing.T) {
	c, _ := full(t)
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	families := names(t, c)
	for _, want := range contract {
		if !slices.Contains(families, want) {
			t.Errorf("no metric %s", want)
		}
	}
	allowed := []string{"uuid", "device", "pool", "kind", "path", "version", "goversion", "hw_id", "hw_type"}
	r := prometheus.NewRegistry()
	r.MustRegister(c)
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		for _, l := range f.GetMetric()[0].GetLabel() {
			if !slices.Contains(allowed, l.GetName()) {
				t.Errorf("%s has a label %s; labels must have few values", f.GetName(), l.GetName())
			}
		}
	}
}

// names lists the families that a collector sends.
func names(t *testing.T, c prometheus.Collector) (out []string) {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(c)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		out = append(out, f.GetName())
	}
	return out
}

// TestValues compares what a scrape says with the statistics.
func TestValues(t *testing.T) {
	c, d := full(t)
	got := gather(t, c)
	var s gpumem.Stats
	d.ReadStats(&s)
	dev := "device=0"
	for key, want := range map[string]int64{
		"gpumem_allocated_bytes{" + dev + ",pool=small}":               s.AllocatedBytes.Small.Current,
		"gpumem_allocated_bytes{" + dev + ",pool=large}":               s.AllocatedBytes.Large.Current,
		"gpumem_active_bytes{" + dev + ",pool=large}":                  s.ActiveBytes.Large.Current,
		"gpumem_requested_bytes{" + dev + ",pool=small}":               1000,
		"gpumem_reserved_bytes{" + dev + ",pool=large}":                s.ReservedBytes.Large.Current,
		"gpumem_inactive_split_bytes{" + dev + ",pool=large}":          s.InactiveSplitBytes.Large.Current,
		"gpumem_live_allocations{" + dev + ",pool=small}":              1,
		"gpumem_live_allocations{" + dev + ",pool=large}":              2,
		"gpumem_segments{" + dev + ",pool=large}":                      s.Segment.Large.Current,
		"gpumem_allocations_total{" + dev + ",pool=large}":             s.Allocation.Large.Allocated,
		"gpumem_frees_total{" + dev + ",pool=large}":                   s.Allocation.Large.Freed,
		"gpumem_allocated_bytes_total{" + dev + ",pool=large}":         s.AllocatedBytes.Large.Allocated,
		"gpumem_freed_bytes_total{" + dev + ",pool=large}":             s.AllocatedBytes.Large.Freed,
		"gpumem_peak_allocated_bytes{" + dev + "}":                     s.AllocatedBytes.All.Peak,
		"gpumem_peak_reserved_bytes{" + dev + "}":                      s.ReservedBytes.All.Peak,
		"gpumem_limit_bytes{" + dev + "}":                              512 << 20,
		"gpumem_largest_free_block_bytes{" + dev + "}":                 s.LargestFree,
		"gpumem_cache_hits_total{" + dev + "}":                         s.CacheHits,
		"gpumem_cache_misses_total{" + dev + "}":                       s.CacheMisses,
		"gpumem_driver_allocs_total{" + dev + "}":                      s.NumDeviceAlloc,
		"gpumem_driver_frees_total{" + dev + "}":                       s.NumDeviceFree,
		"gpumem_alloc_retries_total{" + dev + "}":                      s.NumAllocRetries,
		"gpumem_ooms_total{" + dev + "}":                               1,
		"gpumem_private_pool_reserved_bytes{" + dev + ",pool=weights}": 30 << 20,
		"gpumem_device_total_bytes{" + dev + "}":                       1 << 30,
		"gpumem_device_used_bytes{" + dev + "}":                        300 << 20,
		"gpumem_process_used_bytes{" + dev + "}":                       150 << 20,
		"gpumem_outside_bytes{" + dev + "}":                            300<<20 - s.ReservedBytes.All.Current,
		"hw_gpu_memory_limit_bytes{hw_type=gpu}":                       1 << 30,
		"hw_gpu_memory_usage_bytes{hw_type=gpu}":                       300 << 20,
	} {
		if v, ok := got[key]; !ok || v != float64(want) {
			t.Errorf("%s is %v, want %d", key, v, want)
		}
	}
	if got["gpumem_alloc_retries_total{"+dev+"}"] == 0 || got["gpumem_inactive_split_bytes{"+dev+",pool=large}"] == 0 {
		t.Error("the device has no retry or no split memory: the test says little")
	}
	for kind, want := range map[string]float64{"internal": s.InternalFragmentation(), "external": s.ExternalFragmentation(), "utilization": 1 - s.Utilization()} {
		if v := got["gpumem_fragmentation_ratio{"+dev+",kind="+kind+"}"]; v != want || v <= 0 || v >= 1 {
			t.Errorf("%s fragmentation is %v, want %v, between 0 and 1", kind, v, want)
		}
	}
	for path, least := range map[string]float64{"hit": 5, "driver": 3, "retry": 1} {
		if v := got["gpumem_alloc_duration_seconds{"+dev+",path="+path+"}"]; v < least || v > 100 {
			t.Errorf("%v allocations timed on path %s, want at least %v", v, path, least)
		}
	}
}

// TestDevicesComeAndGo checks that devices are found when they open, that two
// on one GPU are one series, and that a closed one leaves nothing behind.
func TestDevicesComeAndGo(t *testing.T) {
	var list []*gpumem.Device
	c := metrics.New(metrics.DevicesFunc(func() []*gpumem.Device { return list }))
	if n := len(names(t, c)); n != 1 {
		t.Errorf("%d families without a device, want the build alone", n)
	}
	a := open(t, simdrv.New(simdrv.Config{Capacity: 1 << 30}), gpumem.WithLimit(100<<20))
	b := open(t, simdrv.New(simdrv.Config{Capacity: 1 << 30}), gpumem.WithLimit(200<<20))
	other := open(t, simdrv.New(simdrv.Config{Capacity: 1 << 30, Ordinal: 1}))
	list = []*gpumem.Device{a, b, other}
	x, y, z := alloc(t, a, 1<<20), alloc(t, b, 3<<20), alloc(t, other, 5<<20)
	got := gather(t, c)
	for key, want := range map[string]float64{
		"gpumem_allocated_bytes{device=0,pool=small}": 1 << 20,
		"gpumem_allocated_bytes{device=0,pool=large}": 3 << 20,
		"gpumem_allocated_bytes{device=1,pool=large}": 5 << 20,
		"gpumem_limit_bytes{device=0}":                300 << 20,
		"gpumem_limit_bytes{device=1}":                1 << 30, // what the device has
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if _, ok := got["gpumem_process_used_bytes{device=0}"]; ok {
		t.Error("this process's use is shown, though nobody knows it")
	}
	close1(t, x)
	close1(t, y)
	close1(t, z)
	list = []*gpumem.Device{a, b}
	for key := range gather(t, c) {
		if strings.Contains(key, "device=1") {
			t.Errorf("the closed device left %s", key)
		}
	}
}

// TestManyPoolsAreCapped: a program that makes a pool a request must not fill
// the server.
func TestManyPoolsAreCapped(t *testing.T) {
	d := open(t, simdrv.New(simdrv.Config{}))
	total := 0.0
	for i := range 50 {
		p, err := d.NewPool(fmt.Sprintf("request %d", i))
		if err != nil {
			t.Fatal(err)
		}
		b := alloc(t, d, int64(i+1)*2<<20, gpumem.In(p))
		total += float64(i+1) * 2 * (1 << 20)
		t.Cleanup(func() { close1(t, b); close1(t, p) })
	}
	sum, series := 0.0, 0
	for key, v := range gather(t, metrics.New(metrics.Devices(d))) {
		if strings.HasPrefix(key, "gpumem_private_pool_reserved_bytes{") {
			sum += v
			series++
		}
	}
	if series != 33 || sum != total {
		t.Errorf("%d series with %v bytes, want 33 with %v", series, sum, total)
	}
}

// stuck is a driver whose MemInfo can be made to wait.
type stuck struct {
	gpumem.Driver
	wait chan struct{}
}

func (s *stuck) MemInfo() (free, total int64, err error) {
	<-s.wait
	return s.Driver.MemInfo()
}

// TestScrapeDoesNotWaitForTheDriver blocks the driver after the first scrape:
// the next ones must be answered with what is known.
func TestScrapeDoesNotWaitForTheDriver(t *testing.T) {
	drv := &stuck{simdrv.New(simdrv.Config{Capacity: 1 << 30, Foreign: 1 << 20}), make(chan struct{})}
	go func() { drv.wait <- struct{}{} }()
	d := open(t, drv)
	c := metrics.New(metrics.Devices(d))
	const key = "gpumem_device_used_bytes{device=0}"
	if v := gather(t, c)[key]; v != 1<<20 {
		t.Fatalf("%s is %v, want %d", key, v, 1<<20)
	}
	metrics.Age(c, time.Hour) // old enough to be asked again, which blocks
	for range 3 {
		if v := gather(t, c)[key]; v != 1<<20 {
			t.Errorf("%s is %v while the driver is stuck, want what it was", key, v)
		}
	}
	close(drv.wait)
}

// TestDriverThatFails shows no number rather than a wrong one.
func TestDriverThatFails(t *testing.T) {
	sim := simdrv.New(simdrv.Config{})
	d := open(t, sim)
	sim.OnCall(func(op simdrv.Op, _ int64) error {
		if op == simdrv.OpMemInfo {
			return errors.New("the GPU fell off the bus")
		}
		return nil
	})
	c := metrics.New(metrics.Devices(d), metrics.WithView(func(string) (int64, int64, int64, error) { return 0, 0, 0, errors.New("no such device") }))
	got := gather(t, c)
	if _, ok := got["gpumem_device_used_bytes{device=0}"]; ok {
		t.Error("a number of a driver that does not answer")
	}
	if _, ok := got["gpumem_limit_bytes{device=0}"]; !ok {
		t.Error("the allocator's own numbers are gone too")
	}
}

// TestRegister reads the three pages that a program offers.
func TestRegister(t *testing.T) {
	d := open(t, simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackSite))
	b := alloc(t, d, 1<<20, gpumem.At(gpumem.RegisterSite("cache.go:41 load")))
	defer close1(t, b)
	mux := http.NewServeMux()
	if err := metrics.Register(mux, metrics.Devices(d)); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for path, want := range map[string]string{
		metrics.Path:              `gpumem_live_allocations{device="0",pool="small",uuid="GPU-`,
		status.Path:               `{"site":"cache.go:41 load","count":1,"bytes":1048576}`,
		profile.Path + "?debug=1": "cache.go:41 load",
	} {
		resp, err := http.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, %v, no %q in\n%.2000s", path, resp.StatusCode, err, want, body)
		}
	}
	if err := metrics.Register(http.NewServeMux(), metrics.Devices(d)); err != nil {
		t.Errorf("a second time, on another mux: %v", err)
	}
}

// BenchmarkScrape is what a scrape costs.
func BenchmarkScrape(b *testing.B) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{NoRaceCheck: true}))
	if err != nil {
		b.Fatal(err)
	}
	for range 10_000 {
		if _, err := d.Alloc(4096); err != nil {
			b.Fatal(err)
		}
	}
	c := metrics.New(metrics.Devices(d))
	for b.Loop() {
		ch := make(chan prometheus.Metric, 200)
		c.Collect(ch)
		if len(ch) < 40 {
			b.Fatalf("%d metrics", len(ch))
		}
	}
}
