// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package cacheflush reports GM503: check for allocator caches that a hot loop empties.
//
// A caching allocator keeps what was freed for the next allocation of that
// size. Emptying its cache in every step gives the memory back to the driver,
// which the next step asks for it again: slow, synchronising, and without any
// effect on what is really held.
//
//	for range steps {
//		step()
//		ts.CleanUp() // ts.CleanUp in a loop: ... (GM503)
//	}
//
// # Not reported
//
// A flush after a failure, before a retry. One that a condition guards: every
// n-th step, or when memory runs short. One that trims to a size. Loops whose
// turns are phases: they contain a loop over the work, load and unload a model,
// follow a clock, or have a small constant number of turns. Tests.
package cacheflush
