// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	_ "embed"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

// Path is where Prometheus looks for metrics unless it is told otherwise.
const Path = "/metrics"

// AlertRules is a file of rules for Prometheus.
//
//go:embed alerts.yml
var AlertRules string

// Dashboard is a dashboard for Grafana, as JSON.
//
//go:embed dashboard.json
var Dashboard string

// Handler serves the metrics of one collector. A program that has a Prometheus
// registry of its own registers the collector with it instead.
func Handler(c *Collector) (http.Handler, error) {
	r := prometheus.NewRegistry()
	if err := r.Register(c); err != nil {
		return nil, fmt.Errorf("GPU metrics: %w", err)
	}
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}), nil
}

// Register puts the metrics on mux at [Path], what gpumem top reads at
// status.Path, and the profile for go tool pprof at profile.Path. All of them
// tell function names and sizes: keep the mux off the public network.
func Register(mux *http.ServeMux, opts ...Option) error {
	c := New(opts...)
	h, err := Handler(c)
	if err != nil {
		return err
	}
	mux.Handle(Path, h)
	mux.Handle(status.Path, status.Handler(c.devices))
	profile.Register(mux)
	return nil
}
