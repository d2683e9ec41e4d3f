// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay runs a recorded history of allocations through gpumem's
// allocator and says how much memory and how many driver calls it would have
// taken. With gpumem.PolicyPyTorch and a history that PyTorch recorded, it
// reproduces PyTorch's own peaks and calls.
//
// No device is needed: the driver here hands out the recorded addresses and
// lets events complete where the history says they did.
package replay
