// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package metrics shows a program's GPU memory to Prometheus.
//
// [New] makes a collector of all devices that the program has open, or of some;
// [Register] puts it on a mux at /metrics, with the page that gpumem top reads
// and the profile beside it. A scrape takes microseconds, takes nothing from
// the driver and keeps nobody from allocating. There is no label for call
// sites: they have no bound, and gpumem top and go tool pprof show them.
//
// [AlertRules] and [Dashboard] are files for Prometheus and Grafana that use
// these metrics; gpumem serve prints them.
package metrics
