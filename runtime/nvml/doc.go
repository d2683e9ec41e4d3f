// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nvml reads what NVIDIA's driver knows of GPU memory: how much each
// device has in use, and which process uses it. It takes package go-nvml, which
// loads the driver's library when [Open] is called.
//
// It needs cgo and Linux. In other builds the package is there, and Open fails
// with an error that says so; nothing else in this module needs cgo. Devices
// are known by UUID, since NVML and CUDA count them differently, and a part of
// a GPU that was made with MIG is a device of its own.
//
// The driver has no event for memory pressure, so whoever wants to know polls.
package nvml
