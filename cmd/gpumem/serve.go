// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gpumemlint/gpumemlint/runtime/metrics"
	"github.com/gpumemlint/gpumemlint/runtime/nvml"
)

// driver is what serve and top ask of package nvml.
type driver interface {
	Devices() ([]nvml.Device, error)
	Driver() string
	Close() error
}

// runServe serves the driver's view of this machine to Prometheus until it is
// told to stop. The allocator's view comes from the programs themselves.
func runServe(env *environment, args []string) (err error) {
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	listen := fs.String("listen", "localhost:9840", "")
	processes := fs.Bool("processes", false, "")
	rules := fs.Bool("rules", false, "")
	dashboard := fs.Bool("dashboard", false, "")
	if err := parse(fs, args, 0); err != nil {
		return err
	}
	switch {
	case *rules && *dashboard:
		return usageError{"-rules and -dashboard are one file each; ask for one"}
	case *rules:
		_, err := fmt.Fprint(env.stdout, metrics.AlertRules)
		return err
	case *dashboard:
		_, err := fmt.Fprint(env.stdout, metrics.Dashboard)
		return err
	}
	drv, err := env.openDriver()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drv.Close()) }()
	registry := prometheus.NewRegistry()
	if err := registry.Register(newDriverCollector(drv, *processes)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(metrics.Path, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(env.ctx, func() { _ = server.Shutdown(context.WithoutCancel(env.ctx)) })
	defer stopped()
	fmt.Fprintf(env.stderr, "gpumem serve: http://%s%s\n", listener.Addr(), metrics.Path)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// driverCollector shows what the driver says of each GPU and of each part that
// was cut from one.
type driverCollector struct {
	drv       driver
	processes bool
	gauges    []driverGauge
	process   *prometheus.Desc
	up        *prometheus.Desc

	mu      sync.Mutex
	at      time.Time
	devices []nvml.Device
	err     error
}

type driverGauge struct {
	desc  *prometheus.Desc
	value func(*nvml.Device) float64 // negative where it is not known
}

func newDriverCollector(drv driver, processes bool) *driverCollector {
	c := &driverCollector{drv: drv, processes: processes}
	add := func(name, help string, value func(*nvml.Device) float64) {
		c.gauges = append(c.gauges, driverGauge{prometheus.NewDesc(name, help, []string{"uuid", "device"}, nil), value})
	}
	add("gpumem_device_total_bytes", "Memory of the device.", func(d *nvml.Device) float64 { return float64(d.Memory.Total) })
	add("gpumem_device_used_bytes", "Memory of the device in use by all processes.", func(d *nvml.Device) float64 { return float64(d.Memory.Used) })
	add("gpumem_device_reserved_bytes", "Memory of the device that the driver keeps for itself.", func(d *nvml.Device) float64 { return float64(d.Memory.Reserved) })
	add("gpumem_device_utilization_ratio", "Share of the time that a kernel ran.", func(d *nvml.Device) float64 { return float64(d.Utilization) / 100 })
	c.process = prometheus.NewDesc("gpumem_device_process_used_bytes", "Memory of the device in use by one process.", []string{"uuid", "device", "pid", "process"}, nil)
	c.up = prometheus.NewDesc("gpumem_driver_up", "Whether the driver answers.", nil, nil)
	return c
}

// Describe is part of prometheus.Collector.
func (c *driverCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, g := range c.gauges {
		ch <- g.desc
	}
	ch <- c.process
	ch <- c.up
}

// Collect is part of prometheus.Collector.
func (c *driverCollector) Collect(ch chan<- prometheus.Metric) {
	devices, err := c.read()
	up := 1.0
	if err != nil {
		up = 0
	}
	ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, up)
	for i := range devices {
		d := &devices[i]
		c.collect(ch, d, strconv.Itoa(d.Index))
		for k := range d.Instances {
			c.collect(ch, &d.Instances[k], fmt.Sprintf("%d.%d", d.Index, d.Instances[k].Index))
		}
	}
}

func (c *driverCollector) collect(ch chan<- prometheus.Metric, d *nvml.Device, name string) {
	for _, g := range c.gauges {
		if v := g.value(d); v >= 0 {
			ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, v, d.UUID, name)
		}
	}
	if !c.processes || d.MIG {
		return // the processes of a GPU that is cut are those of its parts
	}
	for _, p := range d.Processes {
		if p.Used >= 0 {
			ch <- prometheus.MustNewConstMetric(c.process, prometheus.GaugeValue, float64(p.Used), d.UUID, name, strconv.Itoa(p.PID), p.Name)
		}
	}
}

// read asks the driver, at most once a second whoever scrapes.
func (c *driverCollector) read() ([]nvml.Device, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) > time.Second {
		c.devices, c.err = c.drv.Devices()
		c.at = time.Now()
	}
	return c.devices, c.err
}
