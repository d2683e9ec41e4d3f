// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "runtime"

// A target is one module at one version and how to lint it.
type target struct {
	Name    string
	Module  string // empty: the standard library
	Version string
	Tags    string
	// FakeCXX answers every C++ compilation with an empty object. Enough for
	// a module whose C++ headers are missing here: only what the Go side of
	// cgo reads, the C declarations, must be real.
	FakeCXX bool
	// Silent targets touch no GPU memory: any finding is a false one.
	Silent   bool
	Patterns []string
	Why      string // what makes it worth linting
}

// targets returns what is linted, in the order of the page.
func targets() []target {
	everything := []string{"./..."}
	return []target{
		{Name: "hugot", Module: "github.com/knights-analytics/hugot", Version: "v0.6.1", Tags: "ORT", Patterns: everything,
			Why: "pipelines over onnxruntime_go"},
		{Name: "onnxruntime_go", Module: "github.com/yalue/onnxruntime_go", Version: "v1.27.0", Patterns: everything,
			Why: "the binding and its own tests"},
		{Name: "gocv", Module: "gocv.io/x/gocv", Version: "v0.41.0", Tags: "customenv", FakeCXX: true, Patterns: everything,
			Why: "the binding, its tests and 35 programs"},
		{Name: "go-nvlib", Module: "github.com/NVIDIA/go-nvlib", Version: "v0.13.0", Patterns: everything,
			Why: "NVIDIA's own code over go-nvml"},
		{Name: "yzma", Module: "github.com/hybridgroup/yzma", Version: "v1.33.0", Patterns: everything,
			Why: "llama.cpp through purego, with examples"},
		{Name: "gomlx", Module: "github.com/gomlx/gomlx", Version: "v0.26.0", Patterns: everything,
			Why: "tensors with a finalizer behind them"},
		{Name: "gopjrt", Module: "github.com/gomlx/gopjrt", Version: "v0.10.0", Patterns: everything,
			Why: "device buffers over PJRT, raw cgo"},
		{Name: "go-xla", Module: "github.com/gomlx/go-xla", Version: "v0.1.4", Patterns: everything,
			Why: "the successor of gopjrt"},
		{Name: "gorgonia", Module: "gorgonia.org/gorgonia", Version: "v0.9.18", Patterns: everything,
			Why: "graphs and VMs, with examples"},
		{Name: "onnx-gomlx", Module: "github.com/gomlx/onnx-gomlx", Version: "v0.3.4", Patterns: everything,
			Why: "gomlx's user, and onnxruntime_go's in its tests"},
		{Name: "nvidia-container-toolkit", Module: "github.com/NVIDIA/nvidia-container-toolkit", Version: "v1.20.2", Patterns: everything,
			Why: "NVIDIA's tools, over go-nvlib and go-nvml"},
		{Name: "go-sqlite3", Module: "github.com/mattn/go-sqlite3", Version: "v1.14.53", Patterns: everything,
			Why: "the C heap in much used raw cgo"},
		{Name: "confluent-kafka-go", Module: "github.com/confluentinc/confluent-kafka-go/v2", Version: "v2.11.1", Patterns: []string{"./kafka"},
			Why: "the C heap and a C library's objects in raw cgo"},

		{Name: "x-tools", Module: "golang.org/x/tools", Version: "v0.49.0", Patterns: everything, Silent: true,
			Why: "programs about programs"},
		{Name: "x-net", Module: "golang.org/x/net", Version: "v0.47.0", Patterns: everything, Silent: true,
			Why: "network code, with many a Close"},
		{Name: "client_golang", Module: "github.com/prometheus/client_golang", Version: "v1.23.2", Patterns: everything, Silent: true,
			Why: "a library that is everywhere"},
		{Name: "std", Version: runtime.Version(), Patterns: []string{"std"}, Silent: true,
			Why: "the standard library"},
	}
}
