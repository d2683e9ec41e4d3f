// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpumemtest asserts in unit tests that GPU memory is released.
//
// [New] gives a test a simulated device of its own; when the test ends, every
// buffer, view, stream, event, pool and arena that is still alive fails it,
// with the call stack that made it, and so does a buffer that only Go's garbage
// collector released. Devices are not shared, so it works with t.Parallel.
// [VerifyNone] checks other devices, [VerifyTestMain] a whole package,
// [Golden] holds a test to a memory budget on file, and [Metrics] adds GPU
// memory to a benchmark's results.
//
// Resources are counted one by one and by site. There is no tolerance unless a
// test asks for one: it would hide exactly the small leaks that grow.
package gpumemtest
