// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// maxPools is how many private pools have a metric of their own; the rest is
// summed up under "other". A program that makes a pool a request would fill
// Prometheus otherwise.
const maxPools = 32

// Collector is a prometheus.Collector of devices' memory. Several devices on
// one GPU are added up. Its methods may be called from any goroutine.
type Collector struct {
	devices func() []*gpumem.Device
	view    View
	otel    bool

	pooled    []pooledFamily
	whole     []family
	private   *prometheus.Desc
	ratio     *prometheus.Desc
	use       [4]*prometheus.Desc // total, used, process, outside
	build     *prometheus.Desc
	hw        [3]*prometheus.Desc // limit, usage, utilization
	durations *prometheus.HistogramVec
	version   [2]string // of this module, and of Go

	mu       sync.Mutex
	observed map[*gpumem.Device]func() // how to stop
	samples  map[gpu]*sample
}

// gpu is what metrics are labelled with.
type gpu struct{ uuid, device string }

// View says what the driver knows of the device with that UUID, in bytes: its
// memory, what all processes use of it, and what this process uses, -1 where
// that is not known. The method Usage of package nvml's Reader is one.
type View func(uuid string) (total, used, process int64, err error)

// Option configures New.
type Option func(*Collector)

// Devices collects these devices instead of all that are open.
func Devices(devices ...*gpumem.Device) Option {
	return func(c *Collector) { c.devices = func() []*gpumem.Device { return devices } }
}

// WithView asks view instead of the devices' own drivers, which do not know
// what this process uses.
func WithView(view View) Option { return func(c *Collector) { c.view = view } }

// WithOTelNames adds OpenTelemetry's names for what it has names for:
// hw_gpu_memory_limit_bytes, hw_gpu_memory_usage_bytes and
// hw_gpu_memory_utilization_ratio.
func WithOTelNames() Option { return func(c *Collector) { c.otel = true } }

// New makes a collector. It becomes the observer of each device that it
// collects (see gpumem's Device.OnAlloc), so that one collector a device has
// the times of allocations.
func New(opts ...Option) *Collector {
	c := &Collector{devices: gpumem.Devices, pooled: pooledFamilies(), whole: families(),
		observed: map[*gpumem.Device]func(){}, samples: map[gpu]*sample{}}
	for _, o := range opts {
		o(c)
	}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	for i := range c.pooled {
		c.pooled[i].desc = desc(c.pooled[i].name, c.pooled[i].help, "uuid", "device", "pool")
	}
	for i := range c.whole {
		c.whole[i].desc = desc(c.whole[i].name, c.whole[i].help, deviceLabels...)
	}
	c.private = desc("gpumem_private_pool_reserved_bytes", "Bytes of gpumem_reserved_bytes that private pools reserve, by the pool's name.", "uuid", "device", "pool")
	c.ratio = desc("gpumem_fragmentation_ratio", "Share of memory that is lost: internal to rounding, external to free memory in pieces, utilization as 1 - peak active / peak reserved.", "uuid", "device", "kind")
	c.use = [4]*prometheus.Desc{
		desc("gpumem_device_total_bytes", "Memory of the device.", deviceLabels...),
		desc("gpumem_device_used_bytes", "Memory of the device in use by all processes, as the driver sees it; up to one scrape old.", deviceLabels...),
		desc("gpumem_process_used_bytes", "Memory of the device in use by this process, as the driver sees it, context and other libraries included; up to one scrape old.", deviceLabels...),
		desc("gpumem_outside_bytes", "Memory of the device in use that this allocator did not reserve: contexts, other libraries, other processes; up to one scrape old.", deviceLabels...),
	}
	c.hw = [3]*prometheus.Desc{
		desc("hw_gpu_memory_limit_bytes", "Size of the GPU memory.", "hw_id", "hw_type"),
		desc("hw_gpu_memory_usage_bytes", "GPU memory in use.", "hw_id", "hw_type"),
		desc("hw_gpu_memory_utilization_ratio", "Fraction of GPU memory in use.", "hw_id", "hw_type"),
	}
	c.build = desc("gpumem_build_info", "A constant 1, with the versions of gpumemlint and Go as labels.", "version", "goversion")
	c.version = [2]string{moduleVersion(), runtime.Version()}
	c.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gpumem_alloc_duration_seconds",
		Help: "Time of allocations by path: all that the cache did not serve, and one in " + strconv.Itoa(gpumem.HitSample) + " of the hits.",
		// 100 ns to 1.7 s, for servers without native histograms.
		Buckets:                         prometheus.ExponentialBuckets(100e-9, 4, 13),
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}, append(slices.Clone(deviceLabels), "path"))
	c.observe(c.devices())
	return c
}

// moduleVersion is the version of this module in the program, "unknown"
// outside module mode.
func moduleVersion() string {
	const path = "github.com/gpumemlint/gpumemlint"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Version != "" {
			return m.Version
		}
	}
	return "unknown"
}

// Describe names all metrics; it is part of prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for i := range c.pooled {
		ch <- c.pooled[i].desc
	}
	for i := range c.whole {
		ch <- c.whole[i].desc
	}
	for _, d := range []*prometheus.Desc{c.private, c.ratio, c.build, c.use[0], c.use[1], c.use[2], c.use[3]} {
		ch <- d
	}
	if c.otel {
		for _, d := range c.hw {
			ch <- d
		}
	}
	c.durations.Describe(ch)
}

// Collect reads the devices; it is part of prometheus.Collector. No driver is
// called: what it knows is read in the background and shown the next time.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	devices := c.devices()
	c.observe(devices)
	for _, g := range group(devices) {
		c.collect(ch, g)
	}
	ch <- prometheus.MustNewConstMetric(c.build, gauge, 1, c.version[:]...)
	c.durations.Collect(ch)
}

// observe times the allocations of devices that are new, and forgets those
// that are gone with their series.
func (c *Collector) observe(devices []*gpumem.Device) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := map[*gpumem.Device]bool{}
	names := map[gpu]bool{}
	for _, d := range devices {
		open[d] = true
		id := label(d)
		names[id] = true
		if c.observed[d] != nil {
			continue
		}
		var by [3]prometheus.Observer
		for p := range by {
			by[p] = c.durations.WithLabelValues(id.uuid, id.device, gpumem.AllocPath(p).String())
		}
		c.observed[d] = d.OnAlloc(func(p gpumem.AllocPath, took time.Duration) { by[p].Observe(took.Seconds()) })
	}
	for d, stop := range c.observed {
		if open[d] {
			continue
		}
		stop()
		delete(c.observed, d)
		if id := label(d); !names[id] {
			c.durations.DeletePartialMatch(prometheus.Labels{"uuid": id.uuid, "device": id.device})
			delete(c.samples, id)
		}
	}
}

func label(d *gpumem.Device) gpu {
	info := d.Info()
	return gpu{info.UUID, strconv.Itoa(info.Ordinal)}
}

// gpuDevices are the devices on one GPU.
type gpuDevices struct {
	gpu
	devices []*gpumem.Device
}

// group sorts devices by GPU.
func group(devices []*gpumem.Device) []gpuDevices {
	by := map[gpu][]*gpumem.Device{}
	for _, d := range devices {
		by[label(d)] = append(by[label(d)], d)
	}
	out := make([]gpuDevices, 0, len(by))
	for id, list := range by {
		out = append(out, gpuDevices{id, list})
	}
	slices.SortFunc(out, func(a, b gpuDevices) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.uuid, b.uuid))
	})
	return out
}

// collect sends the metrics of one GPU.
func (c *Collector) collect(ch chan<- prometheus.Metric, g gpuDevices) {
	stats := sum(g.devices)
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, kind, v, append([]string{g.uuid, g.device}, labels...)...)
	}
	for i := range c.pooled {
		f := &c.pooled[i]
		small, large := f.value(&stats)
		send(f.desc, f.kind, float64(small), "small")
		send(f.desc, f.kind, float64(large), "large")
	}
	for i := range c.whole {
		send(c.whole[i].desc, c.whole[i].kind, c.whole[i].value(&stats))
	}
	for kind, v := range ratios(&stats) {
		send(c.ratio, gauge, v, kind)
	}
	for name, bytes := range capPools(stats.ReservedByPool) {
		send(c.private, gauge, float64(bytes), name)
	}
	u, ok := c.sample(g)
	if !ok {
		return // the driver does not answer: no number is better than a wrong one
	}
	send(c.use[0], gauge, float64(u.total))
	send(c.use[1], gauge, float64(u.used))
	send(c.use[3], gauge, float64(max(u.used-u.reserved, 0)))
	if u.process >= 0 {
		send(c.use[2], gauge, float64(u.process))
	}
	if c.otel {
		for i, v := range []float64{float64(u.total), float64(u.used), float64(u.used) / max(float64(u.total), 1)} {
			ch <- prometheus.MustNewConstMetric(c.hw[i], gauge, v, g.uuid, "gpu")
		}
	}
}

// capPools keeps the largest pools and adds up the rest.
func capPools(pools map[string]int64) map[string]int64 {
	if len(pools) <= maxPools {
		return pools
	}
	names := slices.SortedFunc(maps.Keys(pools), func(a, b string) int {
		return cmp.Or(cmp.Compare(pools[b], pools[a]), cmp.Compare(a, b))
	})
	out := map[string]int64{}
	for i, name := range names {
		if i >= maxPools {
			name, out["other"] = "other", out["other"]+pools[name]
			continue
		}
		out[name] += pools[name]
	}
	return out
}
