// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package profile shows what is in GPU memory with the tools people already
// have: go tool pprof, PyTorch's memory viewer, Perfetto.
//
// [Take] makes one picture of one or more devices, in the form that PyTorch
// calls a snapshot; [WriteProfile] turns it into a pprof profile with GPU bytes
// by Go call stack, [WriteTrace] into a trace for Perfetto or chrome://tracing,
// [NewDiff] compares two, and the snapshot's own methods write the viewer's JSON
// and pickle. [Handler] serves profiles at /debug/pprof/gpumem, next to those
// of net/http/pprof.
package profile
