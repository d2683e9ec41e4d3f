// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package status is what a running program says of its GPU memory to tools that
// watch it, as JSON over HTTP: who it is, what each device holds, and which
// call sites hold most.
//
// [Handler] serves it, [Fetch] reads it, and gpumem top shows it beside the
// driver's view. Prometheus reads package metrics instead, which has no call
// sites.
package status
